package hierarchy_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// firstCircularDay looks at every day, naively. No period of the tests begins
// or ends more than 20 days after day0, so the days after that are all alike.
func (w *world) firstCircularDay(agent, upline int64, from date.Date, through *date.Date) (date.Date, bool) {
	for day := from; day <= min(date.OrMax(through), day0.AddDays(20)); day++ {
		if upline == agent || slices.Contains(w.chainOn(upline, day), agent) {
			return day, true
		}
	}
	return 0, false
}

// "Circular hierarchy" is refused (specification, Errors, 7) exactly when a
// look at every single day finds a cycle, and the problem names the first of
// these days.
func TestCheckCycleEqualsDailyLook(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(t *rapid.T) {
			w := newWorld(t, s, 6)
			agent := rapid.Custom(func(t *rapid.T) int64 { return rapid.SampledFrom(w.agents).Draw(t, "agent") })
			for range 14 {
				a, upline := agent.Draw(t, "agent"), agent.Draw(t, "upline")
				from := day0.AddDays(rapid.IntRange(-10, 10).Draw(t, "from"))
				var through *date.Date
				if rapid.Bool().Draw(t, "ends") {
					through = from.AddDays(rapid.IntRange(0, 8).Draw(t, "days")).Ptr()
				}
				want, circular := w.firstCircularDay(a, upline, from, through)
				err := w.place(t, a, upline, from, through)
				if circular != problem.Has(err, problem.CircularHierarchy) || !circular && err != nil {
					t.Fatalf("agent %d below %d from %s: %v, want circular = %t", a, upline, from, err, circular)
				}
				if circular {
					w.checkCycle(t, problem.From(err)[0], a, upline, want)
				}
			}
		})
	})
}

func (w *world) checkCycle(t failer, p *problem.Error, agent, upline int64, on date.Date) {
	t.Helper()
	if p.Category != problem.Validation || !slices.Equal(p.Field, []string{"uplineAgentCode"}) || p.Details["onDate"] != on.String() {
		t.Errorf("problem %+v, want the first day %s", p, on)
	}
	cycle := []string{code(agent)}
	if agent != upline {
		cycle = append(cycle, code(upline))
		for _, above := range w.chainOn(upline, on) {
			if above == agent {
				break
			}
			cycle = append(cycle, code(above))
		}
	}
	if got := p.Details["cycle"].([]string); !slices.Equal(got, cycle) {
		t.Errorf("cycle %v, want %v", got, cycle)
	}
}

// askCycle asks whether an upline is refused.
func (w *world) askCycle(t failer, agent, upline int64, from date.Date, through *date.Date) error {
	t.Helper()
	_, err := reading(t, w, func(tx *store.Tx) (none struct{}, err error) {
		return none, hierarchy.CheckCycle(w.ctx, tx, w.team, agent, upline, from, through)
	})
	return err
}

func TestCheckCycle(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 70)
		a, b, c := w.agents[0], w.agents[1], w.agents[2]
		must(t, w.place(t, b, a, day0.AddDays(-50), day0.AddDays(-40).Ptr()))
		must(t, w.place(t, c, b, day0.AddDays(30), day0.AddDays(40).Ptr()))
		for name, try := range map[string]struct {
			agent, upline int64
			from          date.Date
			through       *date.Date
			refused       bool
		}{
			"an agent above itself":            {a, a, day0, nil, true},
			"on days of the past":              {a, b, day0.AddDays(-60), day0.AddDays(-50).Ptr(), true},
			"on the last of the days":          {a, b, day0.AddDays(-40), nil, true},
			"the day after":                    {a, b, day0.AddDays(-39), nil, false},
			"on days to come, by an open end":  {b, c, day0, nil, true},
			"before days to come":              {b, c, day0, day0.AddDays(29).Ptr(), false},
			"after days to come":               {b, c, day0.AddDays(41), nil, false},
			"links that hold on no common day": {a, c, day0.AddDays(-60), day0.AddDays(60).Ptr(), false},
		} {
			err := w.askCycle(t, try.agent, try.upline, try.from, try.through)
			if problem.Has(err, problem.CircularHierarchy) != try.refused || !try.refused && err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		// The check has no limit of depth.
		for i := 4; i < len(w.agents); i++ {
			must(t, w.place(t, w.agents[i], w.agents[i-1], day0, nil))
		}
		err := w.askCycle(t, w.agents[3], w.agents[69], day0, nil)
		if !problem.Has(err, problem.CircularHierarchy) {
			t.Errorf("a cycle of 67 agents: %v", err)
		}
	})
}

// Two writers that would build a cycle together: exactly one wins.
func TestConcurrentWritersBuildNoCycle(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 2)
		a, b := w.agents[0], w.agents[1]
		for round := range 20 {
			w.clear(t, a, day0)
			w.clear(t, b, day0)
			var errs [2]error
			var writers sync.WaitGroup
			for i, pair := range [][2]int64{{a, b}, {b, a}} {
				own := *w // each with a history of its own
				own.periods = map[int64][]history.Period[int64]{}
				writers.Go(func() { errs[i] = own.place(t, pair[0], pair[1], day0, nil) })
			}
			writers.Wait()
			refused := errors.Join(errs[0], errs[1])
			if (errs[0] == nil) == (errs[1] == nil) || !problem.Has(refused, problem.CircularHierarchy) {
				t.Fatalf("round %d: %v and %v", round, errs[0], errs[1])
			}
		}
	})
}

// Corrupt rows that run in a circle end every walk.
func TestCircularRowsEndEveryWalk(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 4)
		w.plant(t, -1, 0, 1, 2)
		w.rebuild(t)
		w.corrupt(t, w.agents[0], w.agents[2])
		if err := w.askCycle(t, w.agents[3], w.agents[0], day0, nil); err != nil {
			t.Errorf("an agent outside the circle: %v", err)
		}
		chains, err := w.on(day0).Chain(w.ctx, s, w.agents, 1000)
		must(t, err)
		if n := len(chains[w.agents[3]]); n != 64 {
			t.Errorf("a chain of %d steps, want the limit of 64", n)
		}
		w.rebuild(t)
		if _, err := downlines(w.ctx, w.on(day0.AddDays(1)), s, w.agents[:1], hierarchy.Range{}, page.Args{Counted: true}); err != nil {
			t.Error(err)
		}
	})
}
