package migrations_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/uplinehq/upline/ent/migrations"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
)

// W9s that processing an application stored in the spelling of REST get that of
// the list; an LLC that does not say how it is taxed becomes OTHER. What is known
// already stays, and no other row comes in from then on.
func TestTaxClassificationsOfExistingRows(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		file := (&url.URL{Path: filepath.Join(t.TempDir(), "upline.db")}).EscapedPath()
		repairW9s(t, "sqlite", "file:"+file+"?_pragma=foreign_keys(1)", goose.DialectSQLite3)
	})
	t.Run("postgres", func(t *testing.T) { repairW9s(t, "pgx", dbtest.PostgresURL(t), goose.DialectPostgres) })
}

func repairW9s(t *testing.T, driver, dsn string, dialect goose.Dialect) {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	files, err := fs.Sub(migrations.Files, map[goose.Dialect]string{goose.DialectSQLite3: "sqlite", goose.DialectPostgres: "postgres"}[dialect])
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
	if _, err := p.DownTo(t.Context(), 40); err != nil {
		t.Fatal(err)
	}
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	const at = "'2026-01-01 00:00:00+00:00'"
	exec("INSERT INTO tenant (id, identifier, name, time_zone, default_page_size, max_page_size, created_at) VALUES (1, 'acme', 'Acme', 'UTC', 50, 100, " + at + ")")
	exec(`INSERT INTO agency_agent (id, tenant_id, code, first_name, last_name, first_name_key, last_name_key, common_name_key, email_key, is_dedicated, start_date,
		created_at, created_by, last_modified, last_modified_by) VALUES (1, 1, 'A1', 'A', 'B', 'a', 'b', '', '', false, ` + at + `, ` + at + `, 'x', ` + at + `, 'x')`)
	const insert = "INSERT INTO agency_w9 (id, tenant_id, agent_id, name, tax_classification, created_at, created_by) VALUES ($1, 1, 1, 'A', $2, " + at + ", 'x')"
	rows := []struct{ before, after string }{
		{"Individual", "INDIVIDUAL"}, {"SoleProprietor", "SOLE_PROPRIETOR"}, {"CCorporation", "C_CORPORATION"}, {"SCorporation", "S_CORPORATION"},
		{"Partnership", "PARTNERSHIP"}, {"TrustEstate", "TRUST_ESTATE"}, {"LlcC", "LLC_C"}, {"LlcS", "LLC_S"}, {"LlcP", "LLC_P"}, {"Other", "OTHER"},
		{"LLC", "OTHER"}, {"Llc", "OTHER"}, {"LLC_S", "LLC_S"}, {"INDIVIDUAL", "INDIVIDUAL"},
	}
	for i, r := range rows {
		exec(insert, i+1, r.before)
	}
	if _, err := p.UpTo(t.Context(), 41); err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		var got string
		if err := db.QueryRowContext(t.Context(), fmt.Sprint("SELECT tax_classification FROM agency_w9 WHERE id = ", i+1)).Scan(&got); err != nil || got != r.after {
			t.Errorf("%s became %s, %v; want %s", r.before, got, err, r.after)
		}
	}
	if _, err := db.ExecContext(t.Context(), insert, 99, "LLC"); err == nil {
		t.Error("an LLC that does not say how it is taxed came in")
	}
	if _, err := p.DownTo(t.Context(), 40); err != nil {
		t.Fatal(err)
	}
	exec(insert, 99, "LLC") // the Down takes the condition away
}
