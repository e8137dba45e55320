package migrations_test

import (
	"database/sql"
	"io/fs"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"

	"github.com/uplinehq/upline/ent/migrations"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// migrating runs a test on an empty database of each kind, with the migrations beside
// it.
func migrating(t *testing.T, test func(t *testing.T, m migrator)) {
	run := func(driver, dsn, folder string, dialect goose.Dialect) func(t *testing.T) {
		return func(t *testing.T) {
			db, err := sql.Open(driver, dsn)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			files, err := fs.Sub(migrations.Files, folder)
			if err != nil {
				t.Fatal(err)
			}
			p, err := goose.NewProvider(dialect, db, files, goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(store.GoMigrations()...))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Up(t.Context()); err != nil { // a database of the test may be there already
				t.Fatal(err)
			}
			test(t, migrator{t, p, db})
		}
	}
	file := (&url.URL{Path: filepath.Join(t.TempDir(), "upline.db")}).EscapedPath()
	t.Run("sqlite", run("sqlite", "file:"+file+"?_pragma=foreign_keys(1)", "sqlite", goose.DialectSQLite3))
	t.Run("postgres", func(t *testing.T) {
		run("pgx", dbtest.OwnerURL(dbtest.PostgresURL(t)), "postgres", goose.DialectPostgres)(t)
	})
}

// migrator moves a database between versions and runs statements on it.
type migrator struct {
	t  *testing.T
	p  *goose.Provider
	db *sql.DB
}

func (m migrator) down(version int64) {
	m.t.Helper()
	if _, err := m.p.DownTo(m.t.Context(), version); err != nil {
		m.t.Fatal(err)
	}
}

func (m migrator) up(version int64) {
	m.t.Helper()
	if _, err := m.p.UpTo(m.t.Context(), version); err != nil {
		m.t.Fatal(err)
	}
}

func (m migrator) exec(query string, args ...any) {
	m.t.Helper()
	if _, err := m.db.ExecContext(m.t.Context(), query, args...); err != nil {
		m.t.Fatal(err)
	}
}

func (m migrator) tenant() {
	m.t.Helper()
	m.exec("INSERT INTO tenant (id, identifier, name, time_zone, default_page_size, max_page_size, created_at) VALUES (1, 'acme', 'Acme', 'UTC', 50, 100, '2026-01-01 00:00:00+00:00')")
}

// answers compares the one value that each query reads, as text.
func (m migrator) answers(all map[string]string) {
	m.t.Helper()
	for query, want := range all {
		var got string
		if err := m.db.QueryRowContext(m.t.Context(), query).Scan(&got); err != nil || got != want {
			m.t.Errorf("%s: %q %v; want %q", query, got, err, want)
		}
	}
}

// Roles and users that were there before their keys were folded get keys, each its
// own, also where two would have the same.
func TestIdentityKeysOfExistingRows(t *testing.T) {
	migrating(t, func(t *testing.T, m migrator) {
		m.down(34)
		m.tenant()
		for i, name := range []string{"Payroll", "PAYROLL", "STRASSE", "Stra\u00dfe", "\u00c9quipe"} {
			m.exec(`INSERT INTO identity_role (id, tenant_id, name, scopes, is_system, created_at, created_by, last_modified, last_modified_by)
				VALUES ($1, 1, $2, '', $3, '2026-01-01 00:00:00+00:00', 'x', '2026-01-01 00:00:00+00:00', 'x')`, i+100, name, false)
		}
		for i, email := range []string{"strasse@x", "stra\u00dfe@x", "zo\u00eb@x"} {
			m.exec(`INSERT INTO identity_user (id, tenant_id, username, username_key, email, email_key, status, created_at, created_by, last_modified, last_modified_by)
				VALUES ($1, 1, $2, $2, $3, $3, 'PENDING', '2026-01-01 00:00:00+00:00', 'x', '2026-01-01 00:00:00+00:00', 'x')`, i+1, string(rune('a'+i)), email)
		}
		m.up(36)
		m.answers(map[string]string{
			"SELECT name_key FROM identity_role WHERE id = 100": "payroll", "SELECT name_key FROM identity_role WHERE id = 101": "payroll/101",
			"SELECT name_key FROM identity_role WHERE id = 102": "strasse", "SELECT name_key FROM identity_role WHERE id = 103": "strasse/103",
			"SELECT name_key FROM identity_role WHERE id = 104": "\u00e9quipe",
			"SELECT email_key FROM identity_user WHERE id = 1":  "strasse@x", "SELECT email_key FROM identity_user WHERE id = 2": "strasse@x 2",
			"SELECT email_key FROM identity_user WHERE id = 3": "zo\u00eb@x",
		})
	})
}

// An expiry that could be written and not read again is brought within the bounds, and
// others stay.
func TestInstantsOutOfBoundsAreRepaired(t *testing.T) {
	migrating(t, func(t *testing.T, m migrator) {
		m.down(43)
		m.tenant()
		for id, expires := range []string{"10000-01-01 11:59:59+00:00", "2027-01-01 00:00:00+00:00"} {
			m.exec(`INSERT INTO identity_client (id, client_id, tenant_id, secret_hash, scopes, is_disabled, created_at, expires_at)
				VALUES ($1, $2, 1, $3, '', false, '2026-01-01 00:00:00+00:00', $4)`, id+1, string(rune('a'+id)), []byte("x"), expires)
			m.exec(`INSERT INTO identity_api_key (id, uid, tenant_id, client_id, name, hint, key_hash, scopes, expires_at, created_at, created_by)
				VALUES ($1, $2, 1, $1, 'k', 'k', $3, '', $4, '2026-01-01 00:00:00+00:00', 'x')`, id+1, uuid.NewString(), []byte{byte(id)}, expires)
		}
		m.up(44)
		for _, table := range []string{"identity_client", "identity_api_key"} {
			m.answers(map[string]string{
				"SELECT count(*) FROM " + table + " WHERE expires_at = '9999-12-31 23:59:59+00:00'": "1",
				"SELECT count(*) FROM " + table + " WHERE expires_at = '2027-01-01 00:00:00+00:00'": "1",
			})
		}
	})
}

// Settings and clients that were there before they had a version were last changed when
// they were made, for all that is known. What the server of the version before adds has a
// version, too.
func TestVersionsOfExistingRows(t *testing.T) {
	migrating(t, func(t *testing.T, m migrator) {
		m.down(103)
		m.tenant()
		client := func(id string) {
			m.exec(`INSERT INTO identity_client (client_id, tenant_id, secret_hash, scopes, is_disabled, created_at)
				VALUES ($1, 1, $2, '', false, '2026-01-01 00:00:00+00:00')`, id, []byte("x"))
		}
		client("a")
		m.up(104)
		client("b")
		m.answers(map[string]string{
			"SELECT count(*) FROM tenant WHERE last_modified = created_at":                              "1",
			"SELECT count(*) FROM identity_client WHERE client_id = 'a' AND last_modified = created_at": "1",
			"SELECT count(*) FROM identity_client WHERE last_modified IS NOT NULL":                      "2",
		})
	})
}
