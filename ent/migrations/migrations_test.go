package migrations_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/db/migrate"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// column is a column as the database describes it.
type column struct {
	table, name, dbType string
	nullable            bool
}

// kind is what a column holds, whatever the database calls it.
type kind string

// kinds gives the kind of every column type that the migrations use. SQLite has
// no type for a day, a UUID or JSON and keeps them as text.
var kinds = map[string]map[string]kind{
	"postgres": {
		"bigint": "integer", "integer": "integer", "text": "text", "boolean": "boolean", "bytea": "bytes",
		"timestamp with time zone": "instant", "date": "day", "uuid": "uuid", "jsonb": "json",
	},
	"sqlite": {
		"integer": "integer", "text": "text", "boolean": "boolean", "blob": "bytes", "datetime": "instant",
	},
}

// columnsOf reads the columns of our own tables, by "table.column".
func columnsOf(t *testing.T, s *store.Store) map[string]column {
	t.Helper()
	query := `SELECT m.name, c.name, lower(c.type), c."notnull" = 0 AND c.pk = 0
		FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'`
	if s.Postgres() {
		query = `SELECT table_name, column_name, data_type, is_nullable = 'YES'
			FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT LIKE '%\_past'`
	}
	all, err := store.Collect(t.Context(), s, func(row store.Scanner) (c column, err error) {
		return c, row.Scan(&c.table, &c.name, &c.dbType, &c.nullable)
	}, query)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]column{}
	for _, c := range all {
		if !isForeign(c.table) {
			byName[c.table+"."+c.name] = c
		}
	}
	if len(byName) == 0 {
		t.Fatal("the database has no tables")
	}
	return byName
}

// isForeign reports whether a table belongs to the job queue, to goose or to
// the database itself.
func isForeign(table string) bool {
	return strings.HasPrefix(table, "river_") || strings.HasPrefix(table, "sqlite_") || table == "goose_db_version"
}

func databaseOf(s *store.Store) string {
	if s.Postgres() {
		return "postgres"
	}
	return "sqlite"
}

// entKinds gives the kind of ent's field types.
var entKinds = map[field.Type]kind{
	field.TypeInt: "integer", field.TypeInt32: "integer", field.TypeInt64: "integer", field.TypeBool: "boolean",
	field.TypeString: "text", field.TypeBytes: "bytes", field.TypeTime: "instant", field.TypeUUID: "uuid", field.TypeJSON: "json",
}

// want returns the kind that ent expects of a column.
func want(c *schema.Column, database string) kind {
	if named, ok := c.SchemaType[map[string]string{"postgres": "postgres", "sqlite": "sqlite3"}[database]]; ok {
		return kinds[database][named]
	}
	return entKinds[c.Type]
}

// TestEntKnowsTheTables: the schema describes the tables that the migrations create.
// Nothing else would notice a difference.
func TestEntKnowsTheTables(t *testing.T) {
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		stored, database := columnsOf(t, s), databaseOf(s)
		known, owned := map[string]bool{}, map[string]bool{}
		for _, table := range migrate.Tables {
			owned[table.Name] = true
			for _, c := range table.Columns {
				name := table.Name + "." + c.Name
				known[name] = true
				have, ok := stored[name]
				if !ok {
					t.Errorf("%s: ent knows it, the migrations do not create it", name)
					continue
				}
				if expected := want(c, database); expected == "" || kinds[database][have.dbType] != expected {
					t.Errorf("%s: ent expects %s (%q), the migrations say %s", name, c.Type, expected, have.dbType)
				}
				if have.nullable != c.Nullable {
					t.Errorf("%s: nullable for ent: %t, in the migrations: %t", name, c.Nullable, have.nullable)
				}
			}
		}
		for name, c := range stored {
			if owned[c.table] && !known[name] {
				t.Errorf("%s: the migrations create it, ent does not know it", name)
			}
		}
	})
}

// byHand are the tables that the schema has no entity for.
var byHand = []string{"agency_agent_count", "agency_agent_key", "agency_agent_modified", "agency_certification_expiry", "agency_scenario_review", "agency_scenario_role", "audit_entry", "audit_entry_key", "audit_head", "audit_unlinked", "audit_written", "authorization_told", "authorization_watch", "bulk_import", "bulk_import_rejection", "bulk_import_row", "change_clock", "export", "export_chunk", "hierarchy_build", "hierarchy_change", "hierarchy_closure", "hierarchy_node",
	"idempotent_request", "identity_api_key", "identity_attempt", "identity_document", "identity_grant", "identity_provider_request", "identity_provider_role", "identity_provider_user", "identity_refresh_token", "identity_revoked_token", "identity_schema_use", "identity_session", "identity_user_agent", "identity_user_role",
	"outbox_event", "outbox_feed", "past_row", "tenant_agent_code", "webhook_fanout", "webhook_message"}

// TestTablesWithoutEntity: a table that ent does not know is one on purpose.
func TestTablesWithoutEntity(t *testing.T) {
	s := dbtest.SQLite(t)
	tables := map[string]bool{}
	for _, c := range columnsOf(t, s) {
		tables[c.table] = true
	}
	for _, table := range migrate.Tables {
		delete(tables, table.Name)
	}
	if got := slices.Sorted(maps.Keys(tables)); !slices.Equal(got, byHand) {
		t.Errorf("tables without an entity: %v, want %v", got, byHand)
	}
}

// textOnSQLite are the kinds that SQLite keeps as text.
var textOnSQLite = []kind{"day", "uuid", "json"}

// TestBothDatabasesAreTheSame: same tables, same columns, same kinds.
func TestBothDatabasesAreTheSame(t *testing.T) {
	postgres, sqlite := columnsOf(t, dbtest.Postgres(t)), columnsOf(t, dbtest.SQLite(t))
	for _, column := range []string{"change_clock.id", "change_clock.at"} { // PostgreSQL has a setting for it
		delete(sqlite, column)
	}
	for name, p := range postgres {
		l, ok := sqlite[name]
		if !ok {
			t.Errorf("%s is missing on SQLite", name)
			continue
		}
		expected := kinds["postgres"][p.dbType]
		if slices.Contains(textOnSQLite, expected) {
			expected = "text"
		}
		if got := kinds["sqlite"][l.dbType]; expected == "" || got != expected {
			t.Errorf("%s is %s on PostgreSQL and %s on SQLite", name, p.dbType, l.dbType)
		}
		if p.nullable != l.nullable {
			t.Errorf("%s is nullable on PostgreSQL: %t, on SQLite: %t", name, p.nullable, l.nullable)
		}
	}
	for name := range sqlite {
		if _, ok := postgres[name]; !ok {
			t.Errorf("%s is missing on PostgreSQL", name)
		}
	}
}
