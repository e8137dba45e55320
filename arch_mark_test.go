package upline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
)

// changedByPeople are the tables whose rows change only with an entry in the audit trail,
// or with a rebuild of the flattened hierarchy: the mark of a tenant counts these changes.
var changedByPeople = regexp.MustCompile(`^(?:agency|hierarchy|insights|onboarding)_|^tenant(?:_agent_code)?$|^past_row$|^change_clock$`)

// notByPeople are the tables among these that the service writes by itself.
var notByPeople = regexp.MustCompile(`^agency_certification_expiry$`)

var createTable = regexp.MustCompile(`(?m)^CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)`)

// sqliteMigrations are the texts of the migrations of SQLite, by path.
func sqliteMigrations(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("ent/migrations/sqlite/*.sql")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	all := make(map[string]string, len(paths))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[path] = string(text)
	}
	return all
}

// TestMarkCountsTables: what is kept until the mark grows, and what the read replica
// answers, is right only if the mark counts every change of the tables in it. So whoever
// adds a table says here, or in the store (ownWays), how its rows change.
func TestMarkCountsTables(t *testing.T) {
	for path, text := range sqliteMigrations(t) {
		for _, name := range createTable.FindAllStringSubmatch(text, -1) {
			table := name[1]
			want := changedByPeople.MatchString(table) && !notByPeople.MatchString(table)
			if store.MarkCounts("SELECT 1 FROM "+table) != want {
				t.Errorf("%s: %s: the store says that the mark counts its changes: %t; this test says %t", path, table, !want, want)
			}
		}
	}
}
