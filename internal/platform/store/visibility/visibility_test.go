package visibility_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

// acme is the context of a tenant that holds nothing.
func acme(t *testing.T) context.Context {
	t.Helper()
	return tenant.With(t.Context(), &tenant.Tenant{ID: 1, Identifier: "acme", Zone: time.UTC})
}

func limited(ctx context.Context) context.Context {
	within := int64(7)
	return tenant.WithCaller(ctx, tenant.Caller{Within: &within, Clock: clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))})
}

// Every table is narrowed for a limited caller, or read whole with a reason. A
// table that is new is neither, and this test asks which.
func TestEveryTableIsNarrowedOrOpen(t *testing.T) {
	s := dbtest.SQLite(t)
	tables, err := store.Collect(t.Context(), s, store.ScanOne[string],
		"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'river_%' AND name NOT LIKE 'goose_%'")
	if err != nil {
		t.Fatal(err)
	}
	shadowed, whole := visibility.Tables()
	for _, table := range tables {
		if (shadowed[table] == "") == (whole[table] == "") {
			t.Errorf("%s: is it narrowed for a limited caller (shadows), or read whole (open, with the reason)?", table)
		}
	}
	for table := range shadowed {
		if !slices.Contains(tables, table) {
			t.Errorf("%s is no table", table)
		}
	}
}

// A narrowed table has the columns of the table, and a limited caller to whom
// nobody reports finds nothing in it.
func TestNarrowedTablesHaveTheirColumns(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := acme(t)
		shadowed, _ := visibility.Tables()
		for table := range shadowed {
			columns, err := store.Collect(ctx, s, store.ScanOne[string], columnsOf(s), table)
			if err != nil || len(columns) == 0 {
				t.Fatalf("%s: %v %v", table, columns, err)
			}
			var n int
			_, err = store.One(limited(ctx), s, []any{&n}, "SELECT count(*) FROM (SELECT "+strings.Join(columns, ", ")+" FROM "+table+") AS r")
			if err != nil || n != 0 {
				t.Errorf("%s: %d rows, %v", table, n, err)
			}
		}
	})
}

func columnsOf(s *store.Store) string {
	if s.Postgres() {
		return "SELECT quote_ident(column_name) FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1"
	}
	return "SELECT name FROM pragma_table_info($1)"
}

// What cannot be narrowed is refused, and tenant.Whole lifts the limit.
func TestNarrowingFailsClosed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := limited(acme(t))
		var id int64
		for _, statement := range []string{"SELECT id FROM agency_agent FOR NO KEY UPDATE", "DELETE FROM agency_alias RETURNING id",
			"UPDATE agency_alias SET alias = alias RETURNING id", "INSERT INTO agency_alias (agent_id) SELECT id FROM agency_agent RETURNING id",
			"WITH gone AS (DELETE FROM agency_alias RETURNING id) SELECT id FROM gone", "SELECT id FROM agency_agent FOR UPDATE"} {
			if _, err := store.One(ctx, s, []any{&id}, statement); !errors.Is(err, visibility.ErrNarrowed) {
				t.Errorf("%s: %v", statement, err)
			}
		}
		if _, err := store.One(tenant.Whole(ctx, "a test"), s, []any{&id}, "SELECT id FROM agency_agent FOR UPDATE"); errors.Is(err, visibility.ErrNarrowed) {
			t.Errorf("with tenant.Whole: %v", err)
		}
		if _, err := store.One(limited(t.Context()), s, []any{&id}, "SELECT id FROM agency_agent"); !errors.Is(err, tenant.ErrNone) {
			t.Errorf("without a tenant: %v", err)
		}
		before := time.Time{}
		if l, ok := tenant.LimitOf(ctx); !ok || l.AgentID != 7 || l.Now == before {
			t.Errorf("limit %+v", l)
		}
	})
}

// Rows of a table that lost some have no index for the sake of which a statement could hold SQLite to an
// order; other tables have theirs.
func TestTablesThatLostRowsAreReadInAnyOrder(t *testing.T) {
	const query = "SELECT 1 FROM agency_certification c CROSS JOIN agency_agent a ON a.id = c.agent_id CROSS JOIN agency_certification_period p ON p.certification_id = c.id"
	if got, want := visibility.InAnyOrder(query, "agency_agent"), strings.Replace(query, "CROSS JOIN agency_agent", "JOIN agency_agent", 1); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := visibility.InAnyOrder(query, "agency_tag"); got != query {
		t.Errorf("%s\nwant %s", got, query)
	}
}

var update = flag.Bool("update", false, "write kept.txt anew")

// kept.txt has the columns of each kept table, as the database has them.
func TestColumnsOfKeptTables(t *testing.T) {
	s := dbtest.SQLite(t)
	var written strings.Builder
	for _, table := range slices.Sorted(slices.Values(visibility.Kept())) {
		columns, err := store.Collect(t.Context(), s, store.ScanOne[string], "SELECT name FROM pragma_table_info($1) ORDER BY cid", table)
		if err != nil || !*update && !slices.Equal(columns, visibility.Columns(table)) {
			t.Errorf("%s has the columns %v, kept.txt says %v (%v): go test ./internal/platform/store/visibility -run ColumnsOfKept -update", table, columns, visibility.Columns(table), err)
		}
		fmt.Fprintf(&written, "%s: %s\n", table, strings.Join(columns, " "))
	}
	if *update {
		if err := os.WriteFile("kept.txt", []byte(written.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
