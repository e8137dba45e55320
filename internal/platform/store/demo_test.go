package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// emptyDatabases are URLs of databases without a table, one of each kind.
func emptyDatabases(t *testing.T, f func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) { f(t, filepath.Join(t.TempDir(), "upline.db")) })
	t.Run("postgres", func(t *testing.T) {
		url := dbtest.OwnerURL(dbtest.PostgresURL(t))
		execute(t, url, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
		f(t, url)
	})
}

func openURL(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, statement := range statements {
		if err := s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, statement)
			return err
		}); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// The demo takes an empty database and its own, whatever became of it, and leaves
// every other as it is.
func TestDemoDatabase(t *testing.T) {
	emptyDatabases(t, func(t *testing.T, url string) {
		s := openURL(t, url)
		for _, step := range []string{"empty", "marked", "migrated"} {
			if err := s.MarkDemo(t.Context()); err != nil {
				t.Errorf("%s: %v", step, err)
			}
			if is, err := s.IsDemo(t.Context()); !is || err != nil {
				t.Errorf("%s: is the demo's: %v, %v", step, is, err)
			}
			if step == "marked" {
				if err := s.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	emptyDatabases(t, func(t *testing.T, url string) {
		execute(t, url, "CREATE TABLE ledger (id integer)")
		s := openURL(t, url)
		if err := s.MarkDemo(t.Context()); !errors.Is(err, store.ErrNotDemo) {
			t.Errorf("somebody else's: %v", err)
		}
		if names, err := s.TableNames(t.Context()); err != nil || !slices.Equal(names, []string{"ledger"}) {
			t.Errorf("it has the tables %v (%v)", names, err)
		}
	})
}

// A binary that is older than the schema opens the database for nothing.
func TestNewerSchemaIsRefused(t *testing.T) {
	emptyDatabases(t, func(t *testing.T, url string) {
		s := openURL(t, url)
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		openURL(t, url) // of the same age
		execute(t, url, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
		again, err := store.Open(t.Context(), url)
		if err == nil {
			again.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "newer than this binary") || !strings.Contains(err.Error(), "99999") {
			t.Errorf("opened: %v", err)
		}
	})
}

// What SQLite writes is for the owner of the process only, as the key is.
func TestSQLiteFilesAreTheOwners(t *testing.T) {
	url := filepath.Join(t.TempDir(), "data", "upline.db")
	s := openURL(t, url)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{url, url + "-wal", url + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has the mode %o", filepath.Base(name), mode)
		}
	}
}
