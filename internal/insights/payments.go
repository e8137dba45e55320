package insights

import (
	"context"

	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Pages of payments, in rows.
const paymentPage, maxPaymentPage = 50, 100

// paymentKeys order payments, the latest first.
var paymentKeys = []page.Key{{Name: "paid", SQL: "c.paid_on", Kind: page.Day, Desc: true}, {Name: "id", SQL: "c.id", Kind: page.Int, Desc: true}}

// Payments is the list of the commissions of agents: all of each of several, the latest first.
func (s *Service) Payments(ctx context.Context) (listing.List[*facts.CommissionPayment], error) {
	tenantID, err := tenant.ID(ctx)
	return listing.List[*facts.CommissionPayment]{
		Rows: listing.Rows{
			Store: s.store, Name: "commissionPayments", Keys: paymentKeys, Owner: "c.agent_id", Default: paymentPage, Max: maxPaymentPage,
			From: func(q *store.SQL) { q.Write("insights_commission_payment c WHERE c.tenant_id = ?", tenantID) },
		},
		Columns: "c.id, c.agent_id, c.paid_on, c.amount_cents, c.reference, c.recorded_at, c.recorded_by",
		Scan: func(row store.Scanner) (*facts.CommissionPayment, error) {
			p := new(facts.CommissionPayment)
			return p, row.Scan(&p.ID, &p.AgentID, &p.PaidOn, &p.AmountCents, &p.Reference, &p.RecordedAt, &p.RecordedBy)
		},
		Place: func(p *facts.CommissionPayment, key string) any {
			if key == "paid" {
				return p.PaidOn
			}
			return p.ID
		},
	}, err
}
