package hierarchy_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// The lists upline-members and downline-members give the pairs that match every
// condition, on any day.
func TestMembersEqualPlainLook(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(t *rapid.T) {
			w := randomWorld(t, s)
			v := w.drawReading(t, w.on(day0.AddDays(rapid.IntRange(-2, 2).Draw(t, "day"))))
			codes := rapid.Custom(func(t *rapid.T) *string {
				c := "unknown"
				if i := rapid.IntRange(-6, len(w.agents)-1).Draw(t, "code"); i >= 0 {
					c = code(w.agents[i])
				} else if i < -1 {
					return nil
				}
				return &c
			})
			f := hierarchy.MemberFilter{AgentCode: codes.Draw(t, "agentCode"), OtherCode: codes.Draw(t, "otherCode"), Range: drawRange(t)}
			if !v.Flattened() && f.AgentCode == nil {
				return
			}
			up := rapid.Bool().Draw(t, "up")
			ancestor, descendant := f.AgentCode, f.OtherCode
			if up {
				ancestor, descendant = f.OtherCode, f.AgentCode
			}
			var want []relation
			relations, _ := w.expected(v.Day)
			for _, r := range relations {
				if (ancestor == nil || *ancestor == code(r.AncestorID)) && (descendant == nil || *descendant == code(r.DescendantID)) && inRange(f.Range, r.Level) {
					want = append(want, r)
				}
			}
			got := all(t, rapid.IntRange(1, 4).Draw(t, "size"), func(a page.Args) (page.Page[relation], error) { return memberPage(w.ctx, v, s, up, f, a) })
			slices.SortFunc(got, compareRelations)
			equal(t, "members", got, want)
			beyond, err := memberPage(w.ctx, v, s, up, f, page.Args{Offset: new(len(want) + 3), Counted: true})
			if err != nil || beyond.Total != len(want) {
				t.Fatalf("a page beyond the end has the total %d (error %v), not %d", beyond.Total, err, len(want))
			}
		})
	})
}

// On another day than today the pairs of one agent can be read, not all.
func TestMembersOfAnotherDayNeedAnAgent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 1)
		_, err := memberPage(w.ctx, w.on(day0.AddDays(1)), s, true, hierarchy.MemberFilter{}, page.Args{})
		_, countErr := memberPage(w.ctx, w.on(day0.AddDays(1)), s, false, hierarchy.MemberFilter{}, page.Args{Counted: true})
		for _, err := range []error{err, countErr} {
			p := problem.From(err)
			if len(p) != 1 || p[0].Code != problem.Required || !slices.Equal(p[0].Field, []string{"filter", "agentCode"}) {
				t.Errorf("problem %v", err)
			}
		}
	})
}

// A chain is nearest first and tells since when each step holds; several chains
// are read in one statement.
func TestChain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 4)
		w.plant(t, -1, 0, 1, 2)
		must(t, w.place(t, w.agents[2], w.agents[0], day0.AddDays(5), nil))
		ctx, statements := store.CountStatements(w.ctx)
		chains, err := w.on(day0.AddDays(5)).Chain(ctx, s, w.agents, 64)
		must(t, err)
		long := day0.AddDays(-100)
		want := map[int64][]hierarchy.Link{
			w.agents[1]: {{AgentID: w.agents[0], Level: 1, Since: long}},
			w.agents[2]: {{AgentID: w.agents[0], Level: 1, Since: day0.AddDays(5)}},
			w.agents[3]: {{AgentID: w.agents[2], Level: 1, Since: long}, {AgentID: w.agents[0], Level: 2, Since: day0.AddDays(5)}},
		}
		if !reflect.DeepEqual(chains, want) || statements.Load() != 1 {
			t.Errorf("chains %v in %d statements, want %v in 1", chains, statements.Load(), want)
		}
		chains, err = w.on(day0).Chain(w.ctx, s, w.agents[3:], 2)
		must(t, err)
		if n := len(chains[w.agents[3]]); n != 2 {
			t.Errorf("%d steps, want the 2 asked for", n)
		}
	})
}
