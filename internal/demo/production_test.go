package demo_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/demo"
)

// What agents sold happened while they were there, in order; who is paid was
// placed before, and no two payments are the same.
func TestProductionIsPlausible(t *testing.T) {
	agency := demo.Generate(demo.Options{Agents: 5000, Seed: 4, Today: today})
	policies, payments, numbers := 0, 0, map[string]bool{}
	for _, a := range agency.Agents {
		placed := map[string]demo.Production{}
		for _, p := range a.Production {
			policies++
			if numbers[p.PolicyNumber] || p.AnnualPremium <= 0 || p.SubmittedOn < a.StartDate || p.SubmittedOn >= today ||
				p.IssuedOn != nil && (*p.IssuedOn <= p.SubmittedOn || *p.IssuedOn >= today) || p.PlacedOn != nil && (p.IssuedOn == nil || *p.PlacedOn <= *p.IssuedOn || *p.PlacedOn >= today) {
				t.Fatalf("%s: %+v", a.Code, p)
			}
			numbers[p.PolicyNumber] = true
			if p.PlacedOn != nil {
				placed[p.PolicyNumber] = p
			}
		}
		seen := map[demo.Commission]bool{}
		for _, c := range a.Commissions {
			payments++
			p, ok := placed[c.Reference]
			if !ok || seen[c] || c.Amount == 0 || c.PaidOn <= *p.PlacedOn || c.PaidOn >= today || c.Amount > p.AnnualPremium {
				t.Fatalf("%s: %+v", a.Code, c)
			}
			seen[c] = true
		}
	}
	if policies < 30_000 || payments < 5000 {
		t.Errorf("%d policies and %d payments of 5000 agents", policies, payments)
	}
	t.Logf("%d policies, %d payments", policies, payments)
}
