package hierarchy_test

import (
	"strings"
	"testing"

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
