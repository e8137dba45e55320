package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// withoutPolicy are the tables that every tenant's requests read, with the reason.
var withoutPolicy = map[string]string{
	"tenant":                 "read at the door, before there is a tenant; and the platform's trail names all",
	"tenant_keyset":          "wrapped keys; the platform's and the master agency's are read as well",
	"identity_client":        "read at the door, before there is a tenant",
	"identity_api_key":       "looked up by its hash at the door, before there is a tenant",
	"identity_session":       "looked up by the hash of its secret, before there is a tenant",
	"identity_grant":         "looked up by hashes of its code and tokens, before there is a tenant",
	"identity_signing_key":   "the issuer's",
	"identity_refresh_token": "looked up by its hash, before there is a tenant; of no tenant itself",
	"identity_attempt":       "counts by keyed hashes, of no tenant",
	"identity_revoked_token": "ids of tokens, read at the door; of no tenant",
	"insights_report_recipe": "of no tenant",
	"goose_db_version":       "the migrations'",
}

// workLists are the tables in which tenant.System finds the rows of every tenant.
var workLists = map[string][]int64{
	"audit_head": {1, 2}, "audit_unlinked": {1, 2}, "export": {1, 2}, "hierarchy_build": {1, 2}, "outbox_event": {1, 2}, "outbox_feed": {1, 2},
	"webhook_fanout": {1, 2}, "webhook_message": {1, 2}, "webhook_subscription": {1, 2},
}

// TestRowLevelSecurity: whatever a statement says, PostgreSQL shows and takes rows of the
// tenant of the setting only, in every table that is not named above. The tables come from
// the catalogue, so that one without a policy fails.
func TestRowLevelSecurity(t *testing.T) {
	url := dbtest.PostgresURL(t)
	s := openAs(t, url)
	if !s.RowLevelSecurity() || openAs(t, dbtest.OwnerURL(url)).RowLevelSecurity() {
		t.Fatal("the policies should hold for the role of the server, and not for the owner")
	}
	one, two := tenant.With(t.Context(), &tenant.Tenant{ID: 1}), tenant.With(t.Context(), &tenant.Tenant{ID: 2})
	system := tenant.System(t.Context(), "the test asks as background work does")
	for _, table := range fill(t, openAs(t, dbtest.OwnerURL(url))) {
		for _, asked := range []struct {
			who  string
			ctx  context.Context
			want []int64
		}{{"tenant 1", one, []int64{1}}, {"tenant 2", two, []int64{2}}, {"nobody", t.Context(), nil}, {"background work", system, workLists[table]}} {
			if got := tenantsIn(asked.ctx, t, s, table); !slices.Equal(got, asked.want) {
				t.Errorf("%s: %s sees rows of %v, not of %v", table, asked.who, got, asked.want)
			}
		}
		for statement, want := range map[string]string{
			"UPDATE " + table + " SET tenant_id = 1 WHERE tenant_id = 2": "<nil>",
			"DELETE FROM " + table + " WHERE tenant_id = 2":              "<nil>",
			"INSERT INTO " + table + " (tenant_id) VALUES (2)":           "row-level security",
			"UPDATE " + table + " SET tenant_id = 2":                     "row-level security",
		} {
			n, err := write(one, s, statement)
			if n != 0 || !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("tenant 1: %s: %d rows, %v", statement, n, err)
			}
		}
	}
}

// fill makes a row of two tenants in every table that has tenants, whatever else the
// table demands, and returns the names of those that are not named above.
func fill(t *testing.T, owner *store.Store) (tables []string) {
	t.Helper()
	tables, err := store.Collect(t.Context(), owner, store.ScanOne[string], "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	tables = slices.DeleteFunc(tables, func(name string) bool {
		return strings.HasPrefix(name, "river_") || withoutPolicy[name] != ""
	})
	if len(tables) < 50 {
		t.Fatalf("%d tables have tenants", len(tables))
	}
	if _, err := write(t.Context(), owner, strings.ReplaceAll(bare, "{tables}", "'"+strings.Join(tables, "', '")+"'")); err != nil {
		t.Fatal(err)
	}
	return tables
}

// bare takes every condition off the tables, and fills them.
const bare = `DO $$
DECLARE
	r record;
BEGIN
	FOR r IN SELECT conrelid::regclass AS name, conname FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND conrelid <> 0 ORDER BY contype <> 'f' LOOP
		EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I CASCADE', r.name, r.conname);
	END LOOP;
	FOR r IN SELECT table_name, column_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name IN ({tables}) AND is_nullable = 'NO' AND is_identity = 'NO' LOOP
		EXECUTE format('ALTER TABLE %I ALTER %I DROP NOT NULL', r.table_name, r.column_name);
	END LOOP;
	FOR r IN SELECT unnest(ARRAY[{tables}]) AS name LOOP
		EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', r.name);
		EXECUTE format('INSERT INTO %I (tenant_id) VALUES (1), (2)', r.name);
	END LOOP;
END
$$`

func tenantsIn(ctx context.Context, t *testing.T, s *store.Store, table string) []int64 {
	t.Helper()
	all, err := store.Collect(ctx, s, store.ScanOne[int64], "SELECT tenant_id FROM "+table+" ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func write(ctx context.Context, s *store.Store, statement string) (n int64, err error) {
	err = s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err = tx.Exec(ctx, statement)
		return err
	})
	if err != nil {
		n = 0
	}
	return n, err
}

func openAs(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}
