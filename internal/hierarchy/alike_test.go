package hierarchy_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// The downline of another day is read from today's flattened rows while it is the same,
// and from the periods as soon as it may not be. A flattened row that is taken away by
// hand tells which of them answered.
func TestDownlineLikeTodays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 0)
		w.populate(t, 63, func(i int) int { return (i+1)/2 - 1 })
		flatten := func() {
			w.rebuild(t)
			w.exec(t, "DELETE FROM hierarchy_closure WHERE tenant_id = $1 AND ancestor_id = $2 AND descendant_id = $3", w.tenant, w.agents[1], w.agents[3])
		}
		is := func(when string, days, rows, total int) {
			t.Helper()
			pages, err := downlines(w.ctx, w.on(day0.AddDays(days)), s, w.agents[1:2], hierarchy.Range{}, page.Args{Counted: true})
			must(t, err)
			if p := pages[w.agents[1]]; len(p.Items) != rows || p.Total != total {
				t.Errorf("%s, day %d: %d agents of %d, want %d of %d", when, days, len(p.Items), p.Total, rows, total)
			}
		}
		flatten()
		is("nothing changed", -3, 29, 30)
		is("nothing changed", 3, 29, 30)

		must(t, w.place(t, w.agents[62], w.agents[2], day0.AddDays(-1), nil))
		is("a change that is not flattened yet", -3, 30, 30)
		flatten()
		is("a change elsewhere", -3, 29, 30)

		must(t, w.place(t, w.agents[61], w.agents[1], day0.AddDays(5), nil))
		flatten()
		is("before somebody comes", 4, 29, 30)
		is("when somebody has come", 5, 31, 31)

		must(t, w.place(t, w.agents[31], w.agents[2], day0.AddDays(-1), nil))
		flatten()
		is("today, without one who left", 0, 28, 29)
		is("on the day when it left", -1, 28, 29)
		is("before it left", -2, 30, 30)

		for _, elsewhere := range w.agents[47:55] { // as many as a quarter of the downline
			must(t, w.place(t, elsewhere, w.agents[2], day0, nil))
		}
		flatten()
		is("too many changes to look at", -1, 29, 29)
	})
}
