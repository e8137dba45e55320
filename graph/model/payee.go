package model

import (
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/history"
)

// Payee is how an agent is paid, as of the agent's day.
type Payee struct{ Agent *Agent }

// W9 is the content of a W9 of an agent.
type W9 struct {
	*payee.W9
	AgentCode string
}

// Address is the address, nil when no part of it is known.
func (w *W9) Address() *payee.W9Address {
	if payee.W9AddressFields.Given(&w.W9.Address) == nil {
		return nil
	}
	return &w.W9.Address
}

// DirectDeposit are the bank details of an agent.
type DirectDeposit struct {
	*payee.DirectDeposit
	AgentCode string
}

// W9Period is a row of an agent's W9 history.
type W9Period struct {
	*payee.W9Period
	At history.AsOf
}

// IsNode and IsEffectivePeriod name the interfaces of the GraphQL type.
func (W9Period) IsNode()            {}
func (W9Period) IsEffectivePeriod() {}

// GlobalID is the field id.
func (p *W9Period) GlobalID() string { return ViewID(W9PeriodNode, p.ID, p.At) }

// W9 is the W9 of the period.
func (p *W9Period) W9() *W9 { return &W9{p.W9Period.W9, p.AgentCode()} }

// IsCurrent reports whether the period covers the day.
func (p *W9Period) IsCurrent() bool { return isCurrent(p.Period, p.At) }
