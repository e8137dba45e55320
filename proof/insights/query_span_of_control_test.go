package insights_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Who reports to whom is followed from each agent up, for each of its uplines.
func TestSpanOfControl(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		a.payStatuses(t)
		w.plant(t, a)
		for _, ask := range w.askings(t, a) {
			day, least := someDay(t), rapid.IntRange(0, 3).Draw(t, "least")
			type span struct{ direct, downline, depth, active int }
			spans := map[string]*span{}
			for _, code := range a.codes {
				spans[code] = &span{}
			}
			for _, code := range a.codes {
				depth := 0
				for up := on(a.uplines[code], day); up != "" && ask.sees(code) && ask.sees(up); up = on(a.uplines[up], day) {
					s := spans[up]
					if depth++; depth == 1 {
						s.direct++
					}
					s.downline++
					s.depth = max(s.depth, depth)
					if isActive(on(a.statuses[code], day)) {
						s.active++
					}
				}
			}
			var want [][]any
			for _, code := range a.codes {
				if s := spans[code]; day >= start && ask.within(code, day) && s.direct >= least {
					want = append(want, []any{code, "F " + code, s.direct, s.downline, s.depth, percent(s.active, s.downline)})
				}
			}
			slices.SortStableFunc(want, func(a, b []any) int { return cmp.Compare(b[2].(int), a[2].(int)) })
			given := parameters{"onDate": day.String(), "minDirect": least}
			if least == 1 {
				delete(given, "minDirect")
			}
			w.holds(t, ask, "span-of-control", given, want)
		}
	})
}

// An agent whom no period places in the hierarchy is in it while others report
// to it, and not otherwise.
func TestSpanOfControlWithoutPeriods(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		w.plant(t, a)
		w.write(t, func(exec func(string, ...any)) {
			exec("DELETE FROM agency_upline_period WHERE tenant_id = $1 AND upline_agent_id IS NULL", w.tenantID(t))
		})
		reports := map[string]int{}
		for _, code := range a.codes {
			reports[on(a.uplines[code], today)]++
		}
		want := map[string]bool{}
		for _, code := range a.codes {
			if on(a.uplines[code], today) != "" || reports[code] > 0 {
				want[code] = true
			}
		}
		got := map[string]bool{}
		for _, row := range w.run(t, "span-of-control", parameters{"minDirect": 0}).Rows {
			got[row.Values[0].(string)] = true
		}
		same(t, "in the hierarchy", got, want)
	})
}
