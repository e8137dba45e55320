package insights_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Applications are counted one by one, by recruiter and by month of the agency's
// time zone.
func TestRecruiting(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		w.in(t, "America/New_York")
		w.plant(t, a)
		all := w.plantApplications(t, a)
		for _, ask := range w.askings(t, a) {
			from, through := someDays(t)
			for _, by := range []string{"", "recruiter", "month"} {
				type sums struct {
					applications, processed int
					took                    time.Duration
				}
				groups := map[string]*sums{}
				if by == "month" {
					for d := from; d <= through; d++ {
						groups[d.String()[:7]] = &sums{}
					}
				}
				for _, x := range w.counted(ask, all, from, through) {
					key := x.recruiter
					if by == "month" {
						key = x.on(w.zone()).String()[:7]
					}
					if groups[key] == nil {
						groups[key] = &sums{}
					}
					groups[key].applications++
					if last := x.steps[len(x.steps)-1]; last.status == "PROCESSED" {
						groups[key].processed++
						groups[key].took += last.at.Sub(x.created)
					}
				}
				var want [][]any
				for _, key := range slices.Sorted(maps.Keys(groups)) {
					g := groups[key]
					row := []any{key, g.applications, g.processed, percent(g.processed, g.applications), nil}
					if g.processed > 0 {
						row[4] = averageDays(g.took, g.processed)
					}
					want = append(want, row)
				}
				given := parameters{"from": from.String(), "through": through.String()}
				if by != "" {
					given["groupBy"] = by
				}
				if by != "month" {
					slices.SortStableFunc(want, func(a, b []any) int { return cmp.Compare(b[1].(int), a[1].(int)) })
				}
				w.holds(t, ask, "recruiting", given, want)
			}
		}
	})
}
