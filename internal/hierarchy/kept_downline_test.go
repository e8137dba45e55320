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

// below returns how many agents the downline has, and how many statements said so.
func below(t failer, w *world, v hierarchy.View, root int64, levels hierarchy.Range) (rows, total int, statements int64) {
	t.Helper()
	ctx, n := store.CountStatements(w.ctx)
	pages, err := downlines(ctx, v, w.store, []int64{root}, levels, page.Args{Counted: true})
	must(t, err)
	return len(pages[root].Items), pages[root].Total, n.Load()
}

// A dated downline is read from kept periods while nothing changes, and never from those
// that are behind. A period that is taken away by hand, so that nobody counts the change,
// tells which of them answered.
func TestKeptDownline(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 6)
		w.plant(t, -1, 0, 1, 2, 2, -1)
		w.rebuild(t)
		dated := w.on(day0.AddDays(3))
		is := func(when string, v hierarchy.View, levels hierarchy.Range, want int) {
			t.Helper()
			if rows, total, _ := below(t, w, v, w.agents[0], levels); rows != want || total != want {
				t.Errorf("%s: %d agents of %d, want %d", when, rows, total, want)
			}
		}
		_, err := dated.MemberCount(w.ctx, s) // reads the periods
		must(t, err)
		w.exec(t, "DELETE FROM agency_upline_period WHERE tenant_id = $1 AND agent_id = $2", w.tenant, w.agents[4])
		second, third := 2, 3
		is("kept", dated, hierarchy.Range{}, 4)
		is("kept, one level", dated, hierarchy.Range{Level: &third}, 2)
		is("kept, from a level on", dated, hierarchy.Range{Min: &second}, 3)
		is("kept, before anybody came", w.on(day0.AddDays(-101)), hierarchy.Range{}, 0)

		list, err := dated.DownlineList(w.ctx, s, page.Owners{IDs: w.agents[:1]}, hierarchy.Range{})
		must(t, err)
		must(t, w.place(t, w.agents[5], w.agents[3], day0, nil))
		must(t, w.place(t, w.agents[4], w.agents[5], day0, nil))
		pages, err := relationsOf(list).Pages(w.ctx, w.agents[:1], page.Args{Counted: true})
		same(t, "changed before it was read", pages[w.agents[0]].Total, err, 5)
		is("after a change", dated, hierarchy.Range{}, 5)
	})
}

// The first look at another day reads the periods of all; after a change, flattened or not,
// only those of the agents that changed are read, unless that is no longer known.
func TestKeptPeriodsFollowChanges(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 5)
		w.plant(t, -1, 0, 1, 0)
		day := w.on(day0.AddDays(3))
		// Period 2 is changed by hand, which nobody counts: it tells what was read.
		w.exec(t, "UPDATE agency_upline_period SET upline_agent_id = $1 WHERE tenant_id = $2 AND agent_id = $3", w.agents[3], w.tenant, w.agents[2])
		look := func(when string, root, want int, wantStatements int64) {
			t.Helper()
			rows, total, statements := below(t, w, day, w.agents[root], hierarchy.Range{})
			if rows != want || total != want || statements != wantStatements {
				t.Errorf("%s: %d agents of %d below agent %d in %d statements, want %d in %d", when, rows, total, root, statements, want, wantStatements)
			}
		}
		look("first", 3, 1, 4)
		w.exec(t, "UPDATE agency_upline_period SET upline_agent_id = $1 WHERE tenant_id = $2 AND agent_id = $3", w.agents[1], w.tenant, w.agents[2])
		look("nothing changed", 3, 1, 2)
		must(t, w.place(t, w.agents[4], w.agents[3], day0, nil))
		look("somebody came", 3, 2, 3)
		w.rebuild(t)
		must(t, w.place(t, w.agents[4], w.agents[1], day0, nil))
		w.rebuild(t)
		look("moved, and flattened", 3, 1, 3)
		w.clear(t, w.agents[4], day0)
		look("gone", 1, 0, 3)
		for range 101 {
			must(t, w.place(t, w.agents[4], w.agents[3], day0, nil))
		}
		w.rebuild(t)
		look("more changes than are known", 3, 1, 4)
		w.exec(t, "UPDATE agency_upline_period SET upline_agent_id = $1 WHERE tenant_id = $2 AND agent_id = $3", w.agents[3], w.tenant, w.agents[2])
		w.changeAll(t)
		look("all may have changed", 3, 2, 4)
	})
}

// Periods that form a circle are read to the same bound, kept or walked.
func TestKeptDownlineOfCircle(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 4)
		w.plant(t, -1, 0, 1, 2)
		w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE agency_upline_period SET upline_agent_id = $1 WHERE tenant_id = $2 AND agent_id = $3", w.agents[3], w.tenant, w.agents[1])
			return err
		})
		kept, day := w.on(day0.AddDays(3)), history.AsOf{Day: day0.AddDays(3)}
		_, err := kept.MemberCount(w.ctx, s)
		must(t, err)
		for _, v := range []hierarchy.View{kept, {TeamID: w.team, AsOf: day, Today: w.today()}} {
			if _, total, _ := below(t, w, v, w.agents[2], hierarchy.Range{}); total != 64 {
				t.Errorf("%d agents below one of a circle, want 64", total)
			}
		}
	})
}
