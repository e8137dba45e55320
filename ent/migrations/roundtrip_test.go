package migrations_test

import (
	"database/sql"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the database/sql driver "pgx"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the database/sql driver "sqlite"

	"github.com/uplinehq/upline/ent/migrations"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// database is one to migrate, with a query that describes its tables.
type database struct {
	driver, dsn, describe string
	dialect               goose.Dialect
}

// eachDatabase runs a test on both databases. That on PostgreSQL has all tables; that on
// SQLite is empty.
func eachDatabase(t *testing.T, f func(t *testing.T, d database)) {
	t.Run("sqlite", func(t *testing.T) {
		file := (&url.URL{Path: filepath.Join(t.TempDir(), "upline.db")}).EscapedPath()
		f(t, database{"sqlite", "file:" + file + "?_pragma=foreign_keys(1)&_pragma=synchronous(off)",
			`SELECT tbl_name, type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master`, goose.DialectSQLite3})
	})
	t.Run("postgres", func(t *testing.T) {
		f(t, database{"pgx", dbtest.OwnerURL(dbtest.PostgresURL(t)),
			`SELECT table_name, column_name || ' ' || data_type || ' ' || is_nullable || coalesce(collation_name, '')
				FROM information_schema.columns WHERE table_schema = current_schema()
			UNION ALL SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = current_schema()
			UNION ALL SELECT relname, conname || ' ' || pg_get_constraintdef(c.oid) FROM pg_constraint c
				JOIN pg_class ON pg_class.oid = conrelid WHERE connamespace = current_schema()::regnamespace`, goose.DialectPostgres})
	})
}

// provider returns what migrates an open database.
func (d database) provider(t *testing.T, db *sql.DB) *goose.Provider {
	t.Helper()
	folder := map[goose.Dialect]string{goose.DialectSQLite3: "sqlite", goose.DialectPostgres: "postgres"}[d.dialect]
	files, err := fs.Sub(migrations.Files, folder)
	if err != nil {
		t.Fatal(err)
	}
	p, err := goose.NewProvider(d.dialect, db, files, goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(store.GoMigrations()...))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// open opens the database.
func (d database) open(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open(d.driver, d.dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestDownAndUp: every Down undoes its Up. What is left after going all the way
// down is empty, and going up again gives the same tables, indexes, constraints
// and triggers.
func TestDownAndUp(t *testing.T) { eachDatabase(t, downAndUp) }

func downAndUp(t *testing.T, d database) {
	db := d.open(t)
	p := d.provider(t, db)
	if _, err := p.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	up := described(t, db, d.describe)
	if len(up) == 0 {
		t.Fatal("the migrations created nothing")
	}
	if _, err := p.DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if left := described(t, db, d.describe); len(left) > 0 {
		t.Errorf("left after going down: %q", left)
	}
	if _, err := p.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := described(t, db, d.describe); !slices.Equal(again, up) {
		t.Errorf("up again:\n%q\nfirst:\n%q", again, up)
	}
}

// described returns what a database says about our tables, in order.
func described(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var table, definition string
		if err := rows.Scan(&table, &definition); err != nil {
			t.Fatal(err)
		}
		if !isForeign(table) {
			all = append(all, table+": "+definition)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// TestSameFilesForBothDatabases: a change of the schema is one file in each
// folder, of the same name.
func TestSameFilesForBothDatabases(t *testing.T) {
	names := func(pattern string) []string {
		found, err := fs.Glob(migrations.Files, pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for i, name := range found {
			found[i] = filepath.Base(name)
		}
		return found
	}
	if postgres, sqlite := names("postgres/*.sql"), names("sqlite/*.sql"); !slices.Equal(postgres, sqlite) {
		t.Errorf("postgres has %v, sqlite %v", postgres, sqlite)
	}
}
