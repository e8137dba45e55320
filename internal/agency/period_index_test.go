package agency_test

import (
	"context"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// What holds today is looked up in an index that has all it takes, with statistics and
// without; that of the exclusion constraint, slower by four, keeps periods apart and
// serves no statement, even where PostgreSQL has nothing else than it likes.
func TestLivePeriodsHaveAnIndexOfTheirOwn(t *testing.T) {
	s := dbtest.PostgresOwner(t)
	inTx := func(do func(ctx context.Context, tx *store.Tx) error) {
		t.Helper()
		if err := s.InTx(t.Context(), do); err != nil {
			t.Fatal(err)
		}
	}
	var tables []string
	inTx(func(ctx context.Context, tx *store.Tx) (err error) {
		tables, err = store.Collect(ctx, tx, store.ScanOne[string], "SELECT conrelid::regclass::text FROM pg_constraint WHERE contype = 'x' AND connamespace = current_schema()::regnamespace ORDER BY 1")
		return err
	})
	if len(tables) < 5 {
		t.Fatalf("periods are kept apart in %v", tables)
	}
	for _, table := range tables {
		for _, without := range []string{"DELETE FROM pg_statistic WHERE false", "ANALYZE " + table} {
			inTx(func(ctx context.Context, tx *store.Tx) error {
				owner := "agent_id"
				switch table {
				case "agency_certification_period":
					owner = "certification_id"
				case "agency_product_rule_period":
					owner = "rule_id"
				case "agency_upline_period", "agency_level_period":
					owner = "team_id = 1 AND agent_id"
				}
				for _, statement := range []string{"SET LOCAL enable_seqscan = off", without} {
					if _, err := tx.Exec(ctx, statement); err != nil {
						return err
					}
				}
				plan, err := store.Collect(ctx, tx, store.ScanOne[string], "EXPLAIN SELECT effective_from, effective_through FROM "+table+
					" WHERE tenant_id = 1 AND "+owner+" = 1 AND superseded_at IS NULL AND effective_from <= '2026-01-01'")
				if text := strings.Join(plan, "\n"); strings.Contains(text, "_overlap") || !strings.Contains(text, "Index Only Scan") {
					t.Errorf("%s:\n%s", table, text)
				}
				return err
			})
		}
	}
}
