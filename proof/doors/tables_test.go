package doors_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// tables returns the rows of every table as text, sorted, by the table's name.
func tables(t *testing.T, w *apptest.World) map[string][]string {
	t.Helper()
	names := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if w.Store.Postgres() {
		names = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
	}
	all, db := map[string][]string{}, dbtest.Owner(t, w.Store)
	for _, table := range texts(t, db, names) {
		query := "SELECT r::text FROM " + table + " r"
		if !w.Store.Postgres() {
			columns := texts(t, db, "SELECT name FROM pragma_table_info('"+table+"')")
			for i, c := range columns {
				columns[i] = "coalesce(cast(\"" + c + "\" AS text), '')"
			}
			query = "SELECT " + strings.Join(columns, " || '|' || ") + " FROM \"" + table + "\""
		}
		all[table] = texts(t, db, query)
		slices.Sort(all[table])
	}
	return all
}

func texts(t *testing.T, s *store.Store, query string) []string {
	t.Helper()
	ctx := tenant.System(t.Context(), "the test looks at every table")
	rows, err := store.Collect(ctx, s, store.ScanOne[string], query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return rows
}
