package hierarchy_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// cycleOn walks up from an agent to itself; nil when it does not come there.
func (w *world) cycleOn(agent int64, day date.Date) []int64 {
	cycle := []int64{agent}
	for at, _ := w.uplineOn(agent, day); at != agent; at, _ = w.uplineOn(at, day) {
		if at == 0 || slices.Contains(cycle, at) {
			return nil
		}
		cycle = append(cycle, at)
	}
	return cycle
}

// Of periods that are written already, whatever they are, each agent that is
// above itself on a day from the first on is named, with the first of these days
// and the cycle of that day: "circular hierarchy" (specification, Errors, 7).
func TestCheckCyclesEqualsDailyLook(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(t *rapid.T) {
			w := newWorld(t, s, 5)
			for range 10 {
				agent, upline := rapid.SampledFrom(w.agents).Draw(t, "agent"), rapid.SampledFrom(w.agents).Draw(t, "upline")
				if agent == upline {
					continue
				}
				from := day0.AddDays(rapid.IntRange(-10, 10).Draw(t, "from"))
				var through *date.Date
				if rapid.Bool().Draw(t, "ends") {
					through = from.AddDays(rapid.IntRange(0, 8).Draw(t, "days")).Ptr()
				}
				w.periods[agent] = w.applied(t, agent, upline, from, through)
			}
			w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
				for agent, periods := range w.periods {
					if err := w.write(ctx, tx, agent, periods); err != nil {
						return err
					}
				}
				return nil
			})
			from := day0.AddDays(rapid.IntRange(-12, 12).Draw(t, "first day"))
			asked := w.agents[:rapid.IntRange(1, 5).Draw(t, "asked")]
			found, err := reading(t, w, func(tx *store.Tx) (map[int64]*problem.Error, error) {
				return hierarchy.CheckCycles(w.ctx, tx, w.team, asked, from)
			})
			must(t, err)
			for _, agent := range asked {
				w.checkFirstCycle(t, found[agent], agent, from)
				delete(found, agent)
			}
			if len(found) > 0 {
				t.Errorf("problems of others: %v", found)
			}
		})
	})
}

func (w *world) checkFirstCycle(t failer, p *problem.Error, agent int64, from date.Date) {
	t.Helper()
	for day := from; day <= day0.AddDays(20); day++ {
		cycle := w.cycleOn(agent, day)
		if cycle == nil {
			continue
		}
		codes := make([]string, len(cycle))
		for i, id := range cycle {
			codes[i] = code(id)
		}
		if p == nil || p.Details["onDate"] != day.String() || !slices.Equal(p.Details["cycle"].([]string), codes) {
			t.Errorf("agent %d: %+v, want %v on %s", agent, p, codes, day)
		}
		return
	}
	if p != nil {
		t.Errorf("agent %d: %+v, and no day has a cycle", agent, p)
	}
}
