package hierarchy_test

import (
	"context"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A page of 50 agents, without a limit and limited to downlines of several sizes.
func BenchmarkLimitedPage(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, open(b), 0)
			w.populate(b, 12_000, func(i int) int { return (i+4)/5 - 1 })
			w.rebuild(b)
			w.exec(b, "ANALYZE")
			for _, c := range []struct {
				name string
				ctx  context.Context
			}{{"whole", w.ctx}, {"all", w.limited(w.agents[0])}, {"fifth", w.limited(w.agents[1])}, {"few", w.limited(w.agents[400])}} {
				b.Run(c.name, func(b *testing.B) {
					for b.Loop() {
						_, err := store.Collect(c.ctx, w.store, store.ScanOne[int64], "SELECT a.id FROM agency_agent a WHERE a.tenant_id = $1 ORDER BY a.code LIMIT 50", w.tenant)
						must(b, err)
					}
				})
			}
		})
	}
}
