package takeback

import (
	"slices"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// refusing are tables without whose rows alone an object is removed, as the function below its
// mutation looks itself.
var refusing = []string{"identity_user_role", "agency_scenario_role", "identity_provider_role"}

// Whatever the database would delete with an object is a fact of it, follows from one, or is in the
// way of taking the making of the object back. Nothing that others have recorded goes in silence.
func TestNothingOfOthersGoesWithAnObject(t *testing.T) {
	const (
		ofPostgres = `SELECT k.conrelid::regclass::text, k.confrelid::regclass::text FROM pg_constraint k WHERE k.contype = 'f' AND k.confdeltype = 'c' AND k.conparentid = 0`
		ofSQLite   = `SELECT m.name, f."table" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' AND f.on_delete = 'CASCADE'`
	)
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Now: now})
		query := ofSQLite
		if s.Postgres() {
			query = ofPostgres
		}
		type reference struct{ from, to string }
		all, err := store.Collect(t.Context(), s, func(row store.Scanner) (r reference, err error) { return r, row.Scan(&r.from, &r.to) }, query)
		if err != nil || len(all) < 20 {
			t.Fatalf("%d references: %v", len(all), err)
		}
		for _, entity := range kept {
			k := w.App.Past.Kind(entity)
			if entity == "Tenant" || entity == "User" { // nothing takes their making back
				continue
			}
			is := func(table string) func(*past.Fact) bool {
				return func(f *past.Fact) bool {
					return f.Table == table || f.Dated != nil && f.Dated.Rows != nil && f.Dated.Rows.Table == table
				}
			}
			for _, r := range all {
				if !slices.ContainsFunc(k.Facts, is(r.to)) || slices.ContainsFunc(k.Facts, is(r.from)) || slices.Contains(k.Follow, r.from) || slices.Contains(refusing, r.from) {
					continue
				}
				if !slices.ContainsFunc(k.Blocks, func(b past.Block) bool { return b.Table == r.from }) {
					t.Errorf("%s: rows of %s go with rows of %s", entity, r.from, r.to)
				}
			}
			for _, b := range k.Blocks {
				if _, err := store.Collect(t.Context(), s, store.ScanOne[int64], "SELECT "+b.Column+" FROM "+b.Table+" LIMIT 1"); err != nil {
					t.Errorf("%s: %v", entity, err)
				}
			}
		}
	})
}
