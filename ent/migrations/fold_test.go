package migrations_test

import (
	"testing"

	"github.com/pressly/goose/v3"
)

// Roles and users that were there before their keys were folded get keys, each its
// own, also where two would have the same.
func TestIdentityKeysOfExistingRows(t *testing.T) {
	onEach(t, foldKeys)
}

func foldKeys(t *testing.T, driver, dsn string, dialect goose.Dialect) {
	db, p := migrating(t, driver, dsn, dialect)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Up(t.Context()); err != nil { // a database of the test may be there already
		t.Fatal(err)
	}
	if _, err := p.DownTo(t.Context(), 34); err != nil {
		t.Fatal(err)
	}
	exec("INSERT INTO tenant (id, identifier, name, time_zone, default_page_size, max_page_size, created_at) VALUES (1, 'acme', 'Acme', 'UTC', 50, 100, '2026-01-01 00:00:00+00:00')")
	for i, name := range []string{"Payroll", "PAYROLL", "STRASSE", "Stra\u00dfe", "\u00c9quipe"} {
		exec(`INSERT INTO identity_role (id, tenant_id, name, scopes, is_system, created_at, created_by, last_modified, last_modified_by)
			VALUES ($1, 1, $2, '', $3, '2026-01-01 00:00:00+00:00', 'x', '2026-01-01 00:00:00+00:00', 'x')`, i+100, name, false)
	}
	for i, email := range []string{"strasse@x", "stra\u00dfe@x", "zo\u00eb@x"} {
		exec(`INSERT INTO identity_user (id, tenant_id, username, username_key, email, email_key, status, created_at, created_by, last_modified, last_modified_by)
			VALUES ($1, 1, $2, $2, $3, $3, 'PENDING', '2026-01-01 00:00:00+00:00', 'x', '2026-01-01 00:00:00+00:00', 'x')`, i+1, string(rune('a'+i)), email)
	}
	if _, err := p.UpTo(t.Context(), 36); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"SELECT name_key FROM identity_role WHERE id = 100": "payroll", "SELECT name_key FROM identity_role WHERE id = 101": "payroll/101",
		"SELECT name_key FROM identity_role WHERE id = 102": "strasse", "SELECT name_key FROM identity_role WHERE id = 103": "strasse/103",
		"SELECT name_key FROM identity_role WHERE id = 104": "\u00e9quipe",
		"SELECT email_key FROM identity_user WHERE id = 1":  "strasse@x", "SELECT email_key FROM identity_user WHERE id = 2": "strasse@x 2",
		"SELECT email_key FROM identity_user WHERE id = 3": "zo\u00eb@x",
	} {
		var got string
		if err := db.QueryRowContext(t.Context(), query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q %v; want %q", query, got, err, want)
		}
	}
}
