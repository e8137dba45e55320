package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// Keys of several columns are looked up one by one, whatever plan PostgreSQL keeps. With a
// list for each column it looked up every combination.
func TestKeysAreLookedUpOneByOne(t *testing.T) {
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		err := s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			text := "SELECT agent FROM looked_up WHERE (agent, number) IN (SELECT CAST(k.value->>0 AS bigint), k.value->>1 FROM " + tx.EachKey("k", "$1") + ") ORDER BY agent"
			statements := []string{"CREATE TABLE looked_up (agent bigint, number text, UNIQUE (agent, number))",
				"INSERT INTO looked_up WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT i / 5, 'n' || i FROM n"}
			if tx.Postgres() {
				statements = append(statements, "ANALYZE looked_up", "SET LOCAL plan_cache_mode = force_generic_plan", "PREPARE look_up (text) AS "+text)
			}
			for _, statement := range statements {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return err
				}
			}
			for _, c := range []struct {
				keys [][]any
				want []int64
			}{{nil, nil}, {[][]any{{1, "n5"}, {2, "n5"}, {3, "n15"}, {1, "n5"}}, []int64{1, 3}}} {
				found, err := store.Collect(ctx, tx, store.ScanOne[int64], text, store.Keys(c.keys))
				if err != nil {
					return err
				}
				if !slices.Equal(found, c.want) {
					t.Errorf("%v: %v", c.keys, found)
				}
			}
			if !tx.Postgres() {
				return nil
			}
			plan, err := store.Collect(ctx, tx, store.ScanOne[string], "EXPLAIN EXECUTE look_up ('[]')")
			if text := strings.Join(plan, "\n"); !strings.Contains(text, "Index Cond: ((agent = ((k.value ->> 0))::bigint) AND (number = ") {
				t.Errorf("plan:\n%s", text)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
