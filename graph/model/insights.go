package model

import (
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/insights"
)

// ProductionRecord is a policy that an agent wrote. It is not dated; the agent
// reached through it is as of At.
type ProductionRecord struct {
	*insights.ProductionRecord
	At history.AsOf
}

// AnnualPremium is the premium of a year.
func (p *ProductionRecord) AnnualPremium() string {
	return insights.Money(p.AnnualPremiumCents).String()
}

// CommissionPayment is a commission that was paid. It is not dated; the agent
// reached through it is as of At.
type CommissionPayment struct {
	*insights.CommissionPayment
	At history.AsOf
}

// Amount is what was paid.
func (p *CommissionPayment) Amount() string { return insights.Money(p.AmountCents).String() }

// Reference is what tells the payment apart from its like, nil for none.
func (p *CommissionPayment) Reference() *string {
	if p.CommissionPayment.Reference == "" {
		return nil
	}
	return &p.CommissionPayment.Reference
}
