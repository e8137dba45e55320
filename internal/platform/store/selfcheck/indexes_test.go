package selfcheck

import (
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// The indexes that are read from the migrations are those that they make: none is
// missing in a new database, and it has no others but those of keys and constraints.
func TestPlannedIndexes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		missing, err := MissingIndexes(t.Context(), s)
		if err != nil || len(missing) > 0 {
			t.Fatalf("missing: %v, %v", missing, err)
		}
		planned, err := plannedIndexes(s)
		if err != nil {
			t.Fatal(err)
		}
		query := "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name NOT LIKE 'river_%'"
		if s.Postgres() {
			query = `SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
				WHERE c.relnamespace = current_schema()::regnamespace AND t.relname NOT LIKE 'river_%'
				AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype <> 'f')`
		}
		there, err := store.Collect(t.Context(), s, store.ScanOne[string], query)
		if err != nil || len(there) < 50 {
			t.Fatalf("%d indexes, %v", len(there), err)
		}
		for _, name := range there {
			if _, ok := planned[name]; !ok {
				t.Errorf("%s is there and was not read from the migrations", name)
			}
		}
	})
}
