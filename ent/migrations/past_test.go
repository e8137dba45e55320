package migrations_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
)

// unwatched are the columns whose change alone makes no new state of a row: who changed it
// and when, what follows from another column, and what the service counts by itself.
func unwatched(table, column string) bool {
	if strings.HasSuffix(column, "_key") || slices.Contains([]string{"id", "tenant_id", "created_at", "created_by", "last_modified", "last_modified_by",
		"assigned_at", "assigned_by", "recorded_at", "recorded_by"}, column) {
		return true
	}
	return slices.Contains(map[string][]string{
		"identity_user":   {"password_hash", "last_sign_in_at"},
		"identity_client": {"secret_hash", "previous_secret_hash", "previous_secret_until", "last_used_at"},
		"webhook_subscription": {"headers", "secret", "previous_secret", "previous_secret_until", "last_sequence", "wakes", "holder", "held_until", "failures",
			"probe_at", "deliveries"},
		"identity_user_role":     {"user_id", "role_id"},
		"identity_user_agent":    {"user_id"},
		"agency_scenario_role":   {"scenario_id", "role_id"},
		"agency_scenario_review": {"scenario_id", "user_id"},
		"tenant":                 {"values_kept_since"}, // a migration sets it
	}[table], column)
}

// TestKeptRowsAreWhole: what is kept of a row has all its columns, in their order, and a
// change of any of them is noticed.
func TestKeptRowsAreWhole(t *testing.T) {
	dbtest.EachOwner(t, func(t *testing.T, s *store.Store) {
		for _, table := range visibility.Kept() {
			columns := orderedColumns(t, s, table)
			if got, want := orderedColumns(t, s, table+"_past"), append(slices.Clone(columns), "past_until"); !slices.Equal(got, want) {
				t.Errorf("%s_past has the columns %v, want %v", table, got, want)
			}
			watched := watchedColumns(t, s, table)
			for _, c := range columns {
				if slices.Contains(watched, c) == unwatched(table, c) {
					t.Errorf("%s.%s: its change is kept: %t; this test says %t", table, c, !unwatched(table, c), unwatched(table, c))
				}
			}
		}
	})
}

// TestIDsOfThePastAreIntegers: on SQLite an id in a row as it was is an integer, or no join
// finds it but by reading all rows.
func TestIDsOfThePastAreIntegers(t *testing.T) {
	s := dbtest.SQLite(t)
	for _, table := range visibility.Kept() {
		ids, err := store.Collect(t.Context(), s, store.ScanOne[string], `SELECT c.name FROM pragma_table_info($1) c JOIN pragma_table_info($1 || '_past') p ON p.name = c.name
			WHERE c.name LIKE '%\_id' ESCAPE '\' AND c.type LIKE '%int%' AND p.type NOT LIKE '%int%'`, table)
		if err != nil || len(ids) > 0 {
			t.Error(table, ids, err)
		}
	}
}

func orderedColumns(t *testing.T, s *store.Store, table string) []string {
	t.Helper()
	query := "SELECT name FROM pragma_table_info($1) ORDER BY cid"
	if s.Postgres() {
		query = "SELECT column_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position"
	}
	all, err := store.Collect(t.Context(), s, store.ScanOne[string], query, table)
	if err != nil || len(all) == 0 {
		t.Fatal(table, err)
	}
	return all
}

// watchedColumns are the columns that the trigger of a table watches.
func watchedColumns(t *testing.T, s *store.Store, table string) []string {
	t.Helper()
	query := "SELECT coalesce(max(sql), '') FROM sqlite_master WHERE type = 'trigger' AND name = $1 || '_past_changed'"
	if s.Postgres() {
		query = "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = 'past_row' AND tgrelid = to_regclass($1)"
	}
	var text string
	if _, err := store.One(t.Context(), s, []any{&text}, query, table); err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(text, "UPDATE OF ")
	list, _, _ = strings.Cut(list, " ON ")
	return strings.Split(list, ", ")
}
