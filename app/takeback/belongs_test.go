package takeback

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// refusing are tables without whose rows alone an object is removed, as the function below its
// mutation looks itself.
var refusing = []string{"identity_user_role", "agency_scenario_role", "identity_provider_role"}

// following are tables whose rows say nothing without the object: when a licence ends, and who is
// signed in through a client.
var following = []string{"agency_certification_expiry", "identity_grant"}

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
				if !slices.ContainsFunc(k.Facts, is(r.to)) || slices.ContainsFunc(k.Facts, is(r.from)) || slices.Contains(following, r.from) || slices.Contains(refusing, r.from) {
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

// A role that a scenario is shared with is in use: it is not deleted, nor is its making taken back,
// until the scenario is shared with others. Whom it was shared with is told, and taken back.
func TestARoleThatAScenarioIsSharedWithStays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Now: now})
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		run := func(mutation string, variables object) string {
			t.Helper()
			w.Clock.Move(time.Second)
			return fmt.Sprint(apptest.At(c.Query(t, mutation, variables), "m"))
		}
		latest := func() any {
			return apptest.At(c.Query(t, "{ changes(first: 1) { nodes { sequence } } }", nil), "changes.nodes.0.sequence")
		}
		run(`mutation { m: roleCreate(input: {name: "Clerk", scopes: ["read:agents"]}) { applied } }`, nil)
		made := latest()
		run(`mutation { m: scenarioCreate(input: {name: "Plan", effectiveFrom: "2026-07-01", sharedWith: ["Clerk"]}) { applied } }`, nil)
		id := apptest.At(c.Query(t, "{ scenarios(first: 1) { nodes { id } } }", nil), "scenarios.nodes.0.id")
		unshare := func() {
			t.Helper()
			read := apptest.At(c.Query(t, "{ scenarios(first: 1) { nodes { lastModified } } }", nil), "scenarios.nodes.0.lastModified")
			run(`mutation($id: ID!, $read: DateTime!) { m: scenarioUpdate(input: {id: $id, lastModified: $read, sharedWith: []}) { applied userErrors { message } } }`, object{"id": id, "read": read})
		}
		const (
			remove = `mutation { m: roleDelete(input: {name: "Clerk"}) { userErrors { code details } } }`
			undo   = `mutation($n: Long!) { m: changeUndo(input: {sequence: $n, initiator: "boss"}) { applied userErrors { code details } } }`
			shared = `{ scenarios(first: 1) { nodes { sharedWith } } }`
		)
		for what, said := range map[string]string{"deleted": run(remove, nil), "taken back": run(undo, object{"n": made})} {
			if !strings.Contains(said, "REFERENCE_IN_USE") || !strings.Contains(said, "scenarios") {
				t.Errorf("a role in use is %s: %s", what, said)
			}
		}
		unshare()
		if said := run(undo, object{"n": latest()}); !strings.Contains(said, "applied:true") || !strings.Contains(fmt.Sprint(c.Query(t, shared, nil)), "[Clerk]") {
			t.Errorf("%s, and it is shared with %v", said, c.Query(t, shared, nil))
		}
		unshare()
		if said := run(remove, nil); strings.Contains(said, "code") {
			t.Errorf("a role that nothing has stays: %s", said)
		}
	})
}
