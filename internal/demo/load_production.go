package demo

import "github.com/uplinehq/upline/internal/words/date"

var productionColumns = []string{"tenant_id", "agent_id", "provider_company", "policy_number", "product_line", "submitted_on", "issued_on", "placed_on",
	"annual_premium_cents", "recorded_at", "recorded_by"}

func (b *batch) production(yield func([]any) bool) {
	for i := range b.agents {
		for _, p := range b.agents[i].Production {
			newest := p.SubmittedOn
			for _, step := range []*date.Date{p.IssuedOn, p.PlacedOn} {
				if step != nil {
					newest = *step
				}
			}
			if !yield([]any{b.tenant.ID, b.id(i), p.ProviderCompany, p.PolicyNumber, p.ProductLine, p.SubmittedOn, p.IssuedOn, p.PlacedOn,
				p.AnnualPremium, b.recorded(i, newest), initiator}) {
				return
			}
		}
	}
}

var commissionColumns = []string{"tenant_id", "agent_id", "paid_on", "amount_cents", "reference", "recorded_at", "recorded_by"}

func (b *batch) commissions(yield func([]any) bool) {
	for i := range b.agents {
		for _, c := range b.agents[i].Commissions {
			if !yield([]any{b.tenant.ID, b.id(i), c.PaidOn, c.Amount, c.Reference, b.recorded(i, c.PaidOn), initiator}) {
				return
			}
		}
	}
}
