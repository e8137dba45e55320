package resttest

import (
	"os"
	"regexp"
	"testing"
)

// ScopeRow is a row of docs/scopes.md: an operation and the scope it needs.
type ScopeRow struct {
	// Kind is a method of HTTP, or a root type of the schema.
	Kind string
	// Name is a path, or a root field.
	Name  string
	Scope string
}

var scopeRow = regexp.MustCompile(`(?m)^\| (\w+) \| ([^ |]+) \| ([a-z:-]+) \|$`)

// ScopeTable reads docs/scopes.md, which has the scope of each operation, from a package
// one folder below the root.
func ScopeTable(t testing.TB) (rows []ScopeRow) {
	t.Helper()
	text, err := os.ReadFile("../docs/scopes.md")
	if err != nil {
		t.Fatalf("the table of scopes: %v", err)
	}
	for _, m := range scopeRow.FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, ScopeRow{m[1], m[2], m[3]})
	}
	if len(rows) < 150 {
		t.Fatalf("the table of scopes has %d rows only", len(rows))
	}
	return rows
}
