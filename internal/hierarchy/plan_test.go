package hierarchy_test

import (
	"context"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// In a large team an upline chain is read from an index, step by step.
func TestChainReadsIndex(t *testing.T) {
	w := newWorld(t, dbtest.PostgresOwner(t), 0)
	w.populate(t, 12_000, func(i int) int { return (i+4)/5 - 1 })
	w.exec(t, "ANALYZE")
	chain := new(store.SQL)
	w.on(day0).WriteChain(chain, w.store, w.tenant, chain.Arg(w.store.List(w.agents[11_999:])), 64, "r.descendant_id, r.ancestor_id, r.level, r.since")
	plan, err := store.Collect(w.ctx, w.store, store.ScanOne[string], "EXPLAIN "+chain.Text(), chain.Args()...)
	must(t, err)
	text := strings.Join(plan, "\n")
	if strings.Contains(text, "Seq Scan on agency_upline_period") || strings.Count(text, "Scan using agency_upline_period_live") != 2 {
		t.Errorf("plan:\n%s", text)
	}
}

// Relations to delete are looked up one by one, whatever plan PostgreSQL keeps: comparing
// each with each took half a minute for a branch of 9,000.
func TestDeletionReadsIndex(t *testing.T) {
	w := newWorld(t, dbtest.PostgresOwner(t), 0)
	w.populate(t, 1000, func(i int) int { return (i+4)/5 - 1 })
	w.rebuild(t)
	w.exec(t, "ANALYZE")
	w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
		for _, statement := range []string{"SET LOCAL plan_cache_mode = force_generic_plan",
			"PREPARE removal (bigint, bigint, bigint[]) AS " + hierarchy.DeleteRelations(tx.Each("r", "$3"))} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		plan, err := store.Collect(ctx, tx, store.ScanOne[string], "EXPLAIN EXECUTE removal (1, 1, '{}')")
		if text := strings.Join(plan, "\n"); !strings.Contains(text, "AND (descendant_id = (r.value / 100)) AND (level = ") {
			t.Errorf("plan:\n%s", text)
		}
		return err
	})
}
