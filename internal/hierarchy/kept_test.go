package hierarchy_test

import (
	"context"
	"testing"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// What a process keeps of another day is never behind: after a change, by whichever
// process, the day is as it was changed.
func TestKeptDayFollowsChanges(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 4)
		w.plant(t, -1, 0, 1, -1)
		other := hierarchy.New(s, w.clock) // another process, which read the day before, too
		soon := day0.AddDays(7)
		views := []hierarchy.View{w.on(soon), other.View(w.team, history.AsOf{Day: soon}, w.today())}
		look := func(what string, roots, below int) {
			t.Helper()
			for _, v := range views {
				list, err := v.RootList(w.ctx, s)
				must(t, err)
				found, err := idsOf(list).Page(w.ctx, page.Args{})
				same(t, what+": roots", len(found.Items), err, roots)
				trees, err := v.Trees(w.ctx, s, w.agents[:1], 9, 9)
				same(t, what+": below the first", trees[w.agents[0]].Nodes[0].DownlineCount, err, below)
			}
		}
		look("before", 2, 2)
		must(t, w.place(t, w.agents[3], w.agents[2], soon, nil))
		look("moved", 1, 3)
		must(t, w.place(t, w.agents[1], 0, soon.AddDays(1), nil))
		look("moved a day later", 1, 3)
		must(t, w.place(t, w.agents[1], 0, day0, nil))
		look("moved before", 2, 0)
	})
}

// The second look at another day reads no period.
func TestKeptDayIsReadOnce(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t), 3)
	w.plant(t, -1, 0, 1)
	read := func(days int) int64 {
		ctx, n := store.CountStatements(w.ctx)
		v := w.on(day0.AddDays(days))
		_, err := v.MemberCount(ctx, w.store)
		must(t, err)
		return n.Load()
	}
	if first, second, another := read(5), read(5), read(9); first != 3 || second != 1 || another != 1 {
		t.Errorf("%d statements, then %d, and of another day %d; want 3, 1 and 1", first, second, another)
	}
}

// Data that went wrong, with a circle on some day, are walked to the bound.
func TestCircleOfAnotherDay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 4)
		w.plant(t, -1, 0, 1, 2)
		w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE agency_upline_period SET upline_agent_id = $1 WHERE tenant_id = $2 AND agent_id = $3", w.agents[3], w.tenant, w.agents[1])
			return err
		})
		v, walked := w.on(day0.AddDays(3)), hierarchy.View{TeamID: w.team, AsOf: history.AsOf{Day: day0.AddDays(3)}, Today: w.today()}
		for _, view := range []hierarchy.View{v, walked} {
			list, err := view.RootList(w.ctx, s)
			must(t, err)
			roots, err := idsOf(list).Page(w.ctx, page.Args{})
			same(t, "roots", len(roots.Items), err, 1)
			trees, err := view.Trees(w.ctx, s, w.agents[:1], 9, 9)
			same(t, "the tree of the root", len(trees[w.agents[0]].Nodes), err, 1)
		}
	})
}
