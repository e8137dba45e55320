package hierarchy_test

import (
	"context"
	"slices"
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

// Whoever asks for one downline does not wait for the periods of all; when as much was
// walked as reading them costs, they are read.
func TestPeriodsAreReadWhenItPays(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t), 3)
	w.plant(t, -1, 0, 1)
	walked := slices.Repeat([]int64{1}, 15)
	for _, c := range []struct {
		when string
		want []int64 // statements
	}{
		{"first", slices.Concat(walked, []int64{5, 2, 2})},
		{"after a change", slices.Concat([]int64{2}, walked, []int64{5, 2})}, // one finds that what is kept is behind
	} {
		w.rebuild(t)
		var took []int64
		for range c.want {
			rows, total, statements := below(t, w, w.on(day0.AddDays(3)), w.agents[0], hierarchy.Range{})
			if took = append(took, statements); rows != 2 || total != 2 {
				t.Errorf("%s: %d agents of %d, want 2", c.when, rows, total)
			}
		}
		if !slices.Equal(took, c.want) {
			t.Errorf("%s: statements %v, want %v", c.when, took, c.want)
		}
		must(t, w.place(t, w.agents[2], w.agents[0], day0, nil))
	}
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
