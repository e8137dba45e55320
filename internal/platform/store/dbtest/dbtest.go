// Package dbtest runs a test on every database: on SQLite always, on
// PostgreSQL when one can be had – UPLINE_TEST_DATABASE_URL (its user may
// create databases), or a throw-away cluster started from the server's
// binaries. UPLINE_TEST_REQUIRE=postgres makes a missing one a failure.
//
// A package that uses it declares
//
//	func TestMain(m *testing.M) { dbtest.Main(m) }
package dbtest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
)

// Main runs the tests of a package, stops the PostgreSQL it started, and says
// what was left out.
func Main(m *testing.M) {
	if err := askedInVain(); err != nil {
		fmt.Println("FAIL:", err)
		os.Exit(1)
	}
	fewRandomCases()
	code := failSplit(m.Run())
	postgres.stop()
	if postgres.wanted && postgres.err != nil {
		fmt.Printf("NOTE: tests on PostgreSQL were left out: %v\n", postgres.err)
	}
	os.Exit(code)
}

// fewRandomCases has properties checked on fewer random cases than is usual, as long as
// nobody says how many (-rapid.checks): each is written to a database. make soak has a
// thousand.
func fewRandomCases() {
	if flag.Lookup("rapid.checks") != nil {
		_ = flag.Set("rapid.checks", "20") // it is a number
	}
}

// MainAsRole is Main for a package whose tests on PostgreSQL run as a role that does not
// own the tables, so that the policies of row-level security hold.
func MainAsRole(m *testing.M) {
	asRole = true
	Main(m)
}

// asRole says that tests are a role for which the policies hold. With
// UPLINE_TEST_POLICIES=1 those of every package are, which make policies says.
var asRole = os.Getenv("UPLINE_TEST_POLICIES") == "1"

// Each runs f as a subtest on every database, each time with an empty one that
// has all tables.
func Each(t *testing.T, f func(t *testing.T, s *store.Store)) {
	t.Helper()
	EachKind(t, func(t *testing.T, open func(testing.TB) *store.Store) { f(t, open(t)) })
}

// EachOwner is Each with stores of the owner of the tables, whom no policy of row-level
// security holds: for what operators do, and for tests that damage a database.
func EachOwner(t *testing.T, f func(t *testing.T, s *store.Store)) {
	t.Helper()
	EachURL(t, func(t *testing.T, url string) { f(t, open(t, OwnerURL(url))) })
}

// T is what Owner needs of a test.
type T interface {
	Helper()
	Context() context.Context
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Owner returns a store of the owner of the tables for the database that s has open: for
// what a test does past every rule. Where s is of the owner, it is s.
func Owner(t T, s *store.Store) *store.Store {
	t.Helper()
	if !s.RowLevelSecurity() {
		return s
	}
	var name string
	_, err := store.One(t.Context(), s, []any{&name}, "SELECT current_database()")
	if err == nil {
		s, err = store.Open(t.Context(), postgres.url(name))
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// EachKind runs f as a subtest for every database; what it is given opens an
// empty one that has all tables. With the race detector SQLite is left out
// where there is PostgreSQL.
func EachKind(t *testing.T, f func(t *testing.T, open func(testing.TB) *store.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		if withRaceDetector && postgres.available() {
			t.Skip("with the race detector on PostgreSQL only")
		}
		f(t, SQLite)
	})
	t.Run("postgres", func(t *testing.T) { f(t, Postgres) })
}

// EachURL runs f as a subtest for every database, with the URL of an empty one that
// has all tables: for tests that open it more than once, or in another process.
func EachURL(t *testing.T, f func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, SQLiteURL(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, PostgresURL(t)) })
}

// SQLite returns an empty SQLite database with all tables.
func SQLite(t testing.TB) *store.Store {
	t.Helper()
	return open(t, SQLiteURL(t))
}

// SQLiteURL returns the path of an empty SQLite database with all tables.
func SQLiteURL(t testing.TB) string {
	t.Helper()
	dir, err := makeFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "upline.db")
	copyTemplate(t, path)
	return path
}

// Postgres returns an empty PostgreSQL database with all tables. It skips the
// test where there is no PostgreSQL.
func Postgres(t testing.TB) *store.Store {
	t.Helper()
	return open(t, PostgresURL(t))
}

// PostgresOwner is Postgres as the owner of the tables, whom no policy of row-level
// security holds: what a server is whose operator did nothing for it.
func PostgresOwner(t testing.TB) *store.Store {
	t.Helper()
	return open(t, OwnerURL(PostgresURL(t)))
}

// PostgresRole is Postgres as a role for which the policies hold.
func PostgresRole(t testing.TB) *store.Store {
	t.Helper()
	return open(t, RoleURL(PostgresURL(t)))
}

// PostgresURL returns the URL of an empty database with all tables.
func PostgresURL(t testing.TB) string {
	t.Helper()
	if !postgres.available() {
		if strings.Contains(os.Getenv("UPLINE_TEST_REQUIRE"), "postgres") {
			t.Fatalf("PostgreSQL is required: %v", postgres.err)
		}
		t.Skipf("no PostgreSQL: %v", postgres.err)
	}
	return postgres.newDatabase(t)
}

func open(t testing.TB, url string) *store.Store {
	t.Helper()
	s, err := OpenURL(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

var template struct {
	once sync.Once
	file []byte
	err  error
}

// copyTemplate writes a migrated SQLite file, made once for the packages of a "go test".
func copyTemplate(t testing.TB, path string) {
	t.Helper()
	template.once.Do(func() { template.file, template.err = migratedFile() })
	if template.err != nil {
		t.Fatal(template.err)
	}
	if err := os.WriteFile(path, template.file, 0o600); err != nil {
		t.Fatal(err)
	}
}

func migratedFile() ([]byte, error) {
	const name = "upline.db"
	make := func(folder string) error { return migrate(filepath.Join(folder, name)) }
	dir, err := shared("sqlite", make)
	if err == nil && dir == "" {
		if dir, err = makeFolder(); err == nil {
			defer os.RemoveAll(dir)
			err = make(dir)
		}
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, name))
}

func migrate(url string) error {
	s, err := store.Open(context.Background(), url)
	if err != nil {
		return err
	}
	defer s.Close() // the last connection to close checkpoints the WAL into the file
	return s.Migrate(context.Background())
}

var databases atomic.Int64
