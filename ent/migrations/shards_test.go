package migrations_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/ent/migrations"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// What is in the way of spreading the tables over several servers by tenant_id, as Citus
// does (decision 13). Whatever is added to a list makes that harder, and is there for a
// reason.
var (
	// shared are the tables that every server would have whole: they are asked for by
	// something that a caller shows before its tenant is known (a token, a secret, a
	// client's id), or are the platform's.
	shared = []string{"goose_db_version", "identity_api_key", "identity_attempt", "identity_client", "identity_grant", "identity_refresh_token",
		"identity_revoked_token", "identity_session", "identity_signing_key", "insights_report_recipe", "river_job", "river_leader",
		"river_migration", "river_notification", "river_queue", "tenant", "tenant_keyset"}
	// upward are references of shared tables to tables of tenants, which Citus cannot check,
	// and has not: no user is ever deleted.
	upward = []string{"identity_grant_tenant_id_user_id_fkey", "identity_session_tenant_id_user_id_fkey"}
	// triggers run on a shard as they do on a table, when citus.enable_unsafe_triggers is on:
	// they touch rows of the tenant of the row alone.
	triggers = []string{"agency_agent_added", "agency_agent_modified", "agency_agent_removed", "audit_entry_append_only", "audit_entry_key_append_only", "past_row", "past_row_added"}
)

func TestTenantTablesCanBeSharded(t *testing.T) {
	s := dbtest.PostgresOwner(t)
	const tables = `(SELECT c.oid, c.relname, (SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND a.attnotnull AND NOT a.attisdropped) AS tenant
		FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace)`
	for what, c := range map[string]struct {
		query string
		known []string
	}{
		"tables without a tenant, or with a key that does not have it": {`SELECT relname::text FROM ` + tables + ` t WHERE tenant IS NULL
			OR EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = t.oid AND (i.indisunique OR i.indisexclusion) AND NOT t.tenant = ANY (i.indkey))`, shared},
		"references without the tenant": {`SELECT k.conname::text FROM pg_constraint k JOIN ` + tables + ` t ON t.oid = k.conrelid JOIN ` + tables + ` r ON r.oid = k.confrelid
			WHERE k.contype = 'f' AND NOT r.relname = ANY ($1) AND (t.relname = ANY ($1) OR NOT t.tenant = ANY (k.conkey))`, upward},
		"triggers": {`SELECT DISTINCT g.tgname::text FROM pg_trigger g JOIN ` + tables + ` t ON t.oid = g.tgrelid WHERE NOT g.tgisinternal`, triggers},
		"policies with a subquery": {`SELECT DISTINCT tablename::text FROM pg_policies WHERE schemaname = current_schema()
			AND (qual LIKE '%SELECT%' OR with_check LIKE '%SELECT%')`, nil},
	} {
		var args []any
		if what == "references without the tenant" {
			args = append(args, shared)
		}
		found, err := store.Collect(t.Context(), s, store.ScanOne[string], c.query, args...)
		if err != nil {
			t.Fatal(what, err)
		}
		slices.Sort(found)
		if !slices.Equal(found, c.known) {
			t.Errorf("%s: %q, known are %q", what, found, c.known)
		}
	}
}

var (
	sqlComments = regexp.MustCompile(`--[^\n]*`)
	madeTable   = regexp.MustCompile(`CREATE TABLE (\w+)`)
	newlyRefers = regexp.MustCompile(`ALTER TABLE (\w+)[^;]*?REFERENCES (\w+)`)
)

// referTooEarly are the tables that a migration has refer to one that it makes, though they
// were there before.
func referTooEarly(migration string) (tables []string) {
	up, _, _ := strings.Cut(migration, "-- +goose Down")
	up = sqlComments.ReplaceAllString(up, "")
	made := map[string]bool{}
	for _, m := range madeTable.FindAllStringSubmatch(up, -1) {
		made[m[1]] = true
	}
	for _, m := range newlyRefers.FindAllStringSubmatch(up, -1) {
		if made[m[2]] && !made[m[1]] {
			tables = append(tables, m[1])
		}
	}
	return tables
}

// Where tables are spread, new ones are placed behind the migration that makes them
// (TestLaterMigrationOnCitus). They may refer to any table and are filled as on any other
// PostgreSQL; but a table that was there before refers to them by the next migration only.
func TestTablesReferToNewOnesLater(t *testing.T) {
	const refused = `CREATE TABLE a (id bigint); ALTER TABLE b ADD COLUMN a_id bigint, ADD FOREIGN KEY (a_id) REFERENCES a (id);
		ALTER TABLE a ADD FOREIGN KEY (id) REFERENCES a (id); ALTER TABLE b ADD FOREIGN KEY (id) REFERENCES c (id);`
	if got := referTooEarly(refused); !slices.Equal(got, []string{"b"}) {
		t.Errorf("%q refer too early", got)
	}
	files, err := fs.Glob(migrations.Files, "postgres/*.sql")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := fs.ReadFile(migrations.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range referTooEarly(string(text)) {
			t.Errorf("%s: %s refers to a table that is made here, which Citus refuses: let the next migration do that", name, table)
		}
	}
}
