package insights_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/page"
)

// The payments of each agent are those that were recorded for it, the latest first, whatever
// the pages; with what is taken back beside what it takes back.
func TestPaymentsOfAgents(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		codes := []string{"A", "B"}
		recorded := map[string][]*facts.CommissionPayment{}
		ids := map[string]int64{}
		n := 0
		rapid.Check(t, func(t *rapid.T) {
			for range rapid.IntRange(1, 4).Draw(t, "payments") {
				code := rapid.SampledFrom(codes).Draw(t, "agent")
				n++
				amount := money.Amount(rapid.Int64Range(1, 99999).Draw(t, "amount") * rapid.SampledFrom([]int64{1, -1}).Draw(t, "sign"))
				in := facts.CommissionInput{AgentCode: code, PaidOn: today.AddDays(-rapid.IntRange(0, 5).Draw(t, "days")), Amount: amount.String(), Reference: ptr(fmt.Sprint("R", n))}
				paid, _, err := w.RecordOneCommission(w.ctx, in, batch)
				if err != nil {
					t.Fatal(err)
				}
				recorded[code], ids[code] = append(recorded[code], paid), paid.AgentID
			}
			list, err := w.Payments(w.ctx)
			if err != nil {
				t.Fatal(err)
			}
			first, offset := rapid.IntRange(1, 9).Draw(t, "first"), rapid.IntRange(0, 3).Draw(t, "offset")
			owners := make([]int64, 0, len(ids))
			for _, id := range ids {
				owners = append(owners, id)
			}
			pages, err := list.Pages(w.ctx, owners, page.Args{First: &first, Offset: &offset, Counted: true})
			if err != nil {
				t.Fatal(err)
			}
			for code, id := range ids {
				want := slices.SortedFunc(slices.Values(recorded[code]), func(a, b *facts.CommissionPayment) int {
					return cmp.Or(cmp.Compare(b.PaidOn, a.PaidOn), cmp.Compare(b.ID, a.ID))
				})
				got := pages[id]
				if got.Total != len(want) {
					t.Fatalf("%s has %d payments in all, and should have %d", code, got.Total, len(want))
				}
				want = want[min(offset, len(want)):]
				want = want[:min(first, len(want))]
				told := func(all []*facts.CommissionPayment) (said []string) {
					for _, p := range all {
						said = append(said, fmt.Sprint(p.ID, p.PaidOn, p.AmountCents, p.Reference, p.RecordedBy))
					}
					return said
				}
				if !slices.Equal(told(got.Items), told(want)) {
					t.Fatalf("%s: %v, and should be %v", code, told(got.Items), told(want))
				}
			}
		})
	})
}
