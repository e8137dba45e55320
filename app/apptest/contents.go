package apptest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/uplinehq/upline/internal/platform/store"
)

// Contents are the rows of every table of a database, in one text.
func Contents(t T, s *store.Store) string {
	t.Helper()
	query := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
	if s.Postgres() {
		query = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename"
	}
	tables, err := store.Collect(t.Context(), s, store.ScanOne[string], query)
	if err != nil {
		t.Fatalf("%v", err)
	}
	pieces := make([]string, len(tables))
	for i, table := range tables {
		pieces[i] = fmt.Sprintf("SELECT '%s' AS of_table, CAST(%s AS text) AS row FROM %s t", table, rowOf(t, s, table), table)
	}
	rows, err := store.Collect(t.Context(), s, func(row store.Scanner) (string, error) {
		var table, values string
		err := row.Scan(&table, &values)
		return table + " " + values, err
	}, strings.Join(pieces, " UNION ALL ")+" ORDER BY 1, 2")
	if err != nil {
		t.Fatalf("%v", err)
	}
	return strings.Join(rows, "\n")
}

// columnsOfTables are the columns of SQLite's tables, which are read once.
var columnsOfTables sync.Map

// rowOf is the expression for a row as a text.
func rowOf(t T, s *store.Store, table string) string {
	t.Helper()
	if s.Postgres() {
		return "t"
	}
	if known, ok := columnsOfTables.Load(table); ok {
		return known.(string)
	}
	columns, err := store.Collect(t.Context(), s, store.ScanOne[string], "SELECT 'quote(' || name || ')' FROM pragma_table_info($1)", table)
	if err != nil {
		t.Fatalf("%v", err)
	}
	row := strings.Join(columns, " || ', ' || ")
	columnsOfTables.Store(table, row)
	return row
}

// firstDifference is the first row that two contents do not share.
func firstDifference(a, b string) string {
	before := map[string]bool{}
	for row := range strings.SplitSeq(a, "\n") {
		before[row] = true
	}
	for row := range strings.SplitSeq(b, "\n") {
		if !before[row] {
			return row
		}
	}
	return "a row is gone"
}
