package hierarchy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// anyDay is close to today, so that periods begin and end as days pass.
func (w *world) anyDay(t *rapid.T, name string) date.Date {
	return w.today().AddDays(rapid.IntRange(-6, 6).Draw(t, name))
}

// Whatever is written, and however days pass: a rebuild leaves the rows that a
// plain recomputation gives, one event when there was a change and none
// otherwise; a whole rebuild finds nothing to correct.
func TestRebuildEqualsRecomputation(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(t *rapid.T) {
			w := newWorld(t, s, 6)
			w.plant(t, -1, 0, 0, 1, 1, 3)
			w.rebuild(t)
			agent := rapid.Custom(func(t *rapid.T) int64 { return rapid.SampledFrom(w.agents).Draw(t, "agent") })
			t.Repeat(map[string]func(*rapid.T){
				"": func(t *rapid.T) {
					if !w.build(t).IsStale { // perhaps flattened with the change
						w.check(t)
					}
				},
				"place": func(t *rapid.T) {
					a := agent.Draw(t, "agent")
					upline := rapid.OneOf(rapid.Just(int64(0)), agent, agent, agent).Draw(t, "upline")
					from := w.anyDay(t, "from")
					var through *date.Date
					if rapid.Bool().Draw(t, "ends") {
						through = from.AddDays(rapid.IntRange(0, 6).Draw(t, "days")).Ptr()
					}
					if err := w.place(t, a, upline, from, through); err != nil && !problem.Has(err, problem.CircularHierarchy) {
						t.Fatal(err)
					}
				},
				"end": func(t *rapid.T) { w.clear(t, agent.Draw(t, "agent"), w.anyDay(t, "from")) },
				"hire": func(t *rapid.T) {
					upline := agent.Draw(t, "upline")
					w.hire(t, 1)
					must(t, w.place(t, w.agents[len(w.agents)-1], upline, w.anyDay(t, "from"), nil))
				},
				"pass day": func(t *rapid.T) { w.clock.Move(time.Duration(rapid.IntRange(-1, 3).Draw(t, "days")) * 24 * time.Hour) },
				"rebuild": func(t *rapid.T) {
					events, before := w.events(t), w.build(t).Version
					after := w.rebuild(t).Version
					if got, want := w.events(t)-events, after > before; (got == 1) != want || got > 1 {
						t.Fatalf("%d events for a rebuild from version %d to %d", got, before, after)
					}
					w.check(t)
				},
				"rebuild all": func(t *rapid.T) {
					w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
						return hierarchy.ChangedAll(ctx, tx, w.team, w.clock.Now())
					})
					w.rebuild(t)
					w.check(t)
				},
			})
		})
	})
}

// A whole rebuild writes the same rows as many small ones, whether it rewrites
// all of them or a part.
func TestWholeEqualsIncremental(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(t *rapid.T) {
			const agents = 12
			small, whole := newWorld(t, s, agents), newWorld(t, s, agents)
			small.plant(t, -1)
			whole.plant(t, -1)
			for range rapid.IntRange(1, 4).Draw(t, "rounds") {
				moves := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int {
					return [2]int{rapid.IntRange(0, agents-1).Draw(t, "agent"), rapid.IntRange(-1, agents-1).Draw(t, "upline")}
				}), 1, 12).Draw(t, "moves")
				for _, w := range []*world{small, whole} {
					for _, m := range moves {
						var upline int64
						if m[1] >= 0 {
							upline = w.agents[m[1]]
						}
						if err := w.place(t, w.agents[m[0]], upline, day0, nil); err != nil && !problem.Has(err, problem.CircularHierarchy) {
							t.Fatal(err)
						}
					}
				}
				whole.inTx(t, func(ctx context.Context, tx *store.Tx) error {
					return hierarchy.ChangedAll(ctx, tx, whole.team, whole.clock.Now())
				})
				small.rebuild(t)
				whole.rebuild(t)
				small.check(t)
				whole.check(t)
			}
		})
	})
}

// "HierarchyBuildCompleted is published when the rebuild finishes"
// (specification, Team upline and level): the event and the build say the same.
func TestEventAndFreshness(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 3)
		if b := w.build(t); b != nil {
			t.Fatalf("a team without changes has build %+v", b)
		}
		if b := w.rebuild(t); b != nil {
			t.Fatalf("a team without changes was rebuilt: %+v", b)
		}
		w.plant(t, -1, 0, 1)
		if b := w.build(t); b.Status != hierarchy.Queued || !b.IsStale || b.ChangedVersion != 3 || b.Version != 0 || !b.QueuedAt.Equal(w.clock.Now()) {
			t.Errorf("after changes: %+v", b)
		}
		w.clock.Move(time.Second)
		b := w.rebuild(t)
		if b.Status != hierarchy.Completed || b.IsStale || b.Version != 3 || *b.BuiltFor != day0 || *b.AgentCount != 3 || *b.RelationCount != 3 || b.Team != "default" {
			t.Errorf("after the rebuild: %+v", b)
		}
		var raw string
		_, err := store.One(w.ctx, s, []any{&raw}, "SELECT data FROM outbox_event WHERE tenant_id = $1", w.tenant)
		must(t, err)
		var data map[string]any
		must(t, json.Unmarshal([]byte(raw), &data))
		at := w.clock.Now().Format(time.RFC3339)
		want := map[string]any{"team": "default", "version": 3.0, "agentCount": 3.0, "relationCount": 3.0, "startedAt": at, "finishedAt": at}
		if fmt.Sprint(data) != fmt.Sprint(want) {
			t.Errorf("event data %v, want %v", data, want)
		}
		w.rebuild(t)
		if n := w.events(t); n != 1 {
			t.Errorf("%d events after a rebuild without a change, want 1", n)
		}
	})
}

// A change made while a rebuild runs is never lost: whatever the interleaving,
// the last job finds it.
func TestChangesDuringRebuilds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 12)
		w.plant(t, -1, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7)
		w.rebuild(t)
		stop := make(chan struct{})
		var rebuilds sync.WaitGroup
		for range 2 {
			rebuilds.Go(func() {
				for {
					if _, err := w.service.Rebuild(w.ctx, w.team); err != nil {
						t.Error(err)
						return
					}
					select {
					case <-stop:
						return
					default:
					}
				}
			})
		}
		for i := range 150 {
			agent, upline := w.agents[i*7%12], w.agents[i*5%11]
			if err := w.place(t, agent, upline, day0.AddDays(-i%3), nil); err != nil && !problem.Has(err, problem.CircularHierarchy) {
				t.Fatal(err)
			}
		}
		close(stop)
		rebuilds.Wait()
		w.rebuild(t)
		w.check(t)
		var left int
		_, err := store.One(w.ctx, s, []any{&left}, "SELECT count(*) FROM hierarchy_change WHERE tenant_id = $1 AND version <= $2", w.tenant, w.build(t).Version-100)
		must(t, err)
		if left != 0 {
			t.Errorf("%d changes left", left)
		}
	})
}

// A failed rebuild says so, and the next one does the work.
func TestFailureIsShown(t *testing.T) {
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 2)
		w.plant(t, -1, 0)
		// Without the table the insertion fails.
		w.exec(t, "ALTER TABLE hierarchy_closure RENAME TO hidden")
		if _, err := w.service.Rebuild(w.ctx, w.team); err == nil {
			t.Error("no error")
		}
		if b := w.build(t); b.Status != hierarchy.Failed || !b.IsStale {
			t.Errorf("build %+v", b)
		}
		w.exec(t, "ALTER TABLE hidden RENAME TO hierarchy_closure")
		w.rebuild(t)
		w.check(t)
	})
}

// An agent that others report to counts as a root while it has no period.
func TestAgentWithoutPeriodIsRoot(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 3)
		must(t, w.place(t, w.agents[1], w.agents[0], day0, nil))
		w.rebuild(t)
		w.check(t)
		if _, nodes := w.flattened(t); !slices.Equal(nodes, []nodeRow{{w.agents[0], 0, 0, 1, 1}, {w.agents[1], w.agents[0], 1, 0, 0}}) {
			t.Errorf("nodes %v", nodes)
		}
		must(t, w.place(t, w.agents[1], w.agents[2], day0, nil))
		w.rebuild(t)
		if _, nodes := w.flattened(t); !slices.Equal(nodes, []nodeRow{{w.agents[1], w.agents[2], 1, 0, 0}, {w.agents[2], 0, 0, 1, 1}}) {
			t.Errorf("nodes after the move %v", nodes)
		}
	})
}
