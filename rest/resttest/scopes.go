package resttest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/rest/operations"
	"github.com/uplinehq/upline/rest/paths"
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

// PathScopes returns the scopes of the paths, by method and path: those that
// docs/scopes.md gives to the fields which their operations ask for.
func PathScopes(t testing.TB, schema *ast.Schema) map[string]string {
	t.Helper()
	fields, scopes := map[string]string{}, map[string]string{}
	for _, row := range ScopeTable(t) {
		fields[strings.ToLower(row.Kind)+" "+row.Name] = row.Scope
	}
	for _, a := range paths.All {
		for _, r := range a.Routes {
			op, err := operations.Read(schema, r.Operation)
			if err != nil {
				t.Fatal(err)
			}
			scopes[r.Method+" "+a.Base+r.Path] = fields[string(op.Definition.Operation)+" "+op.Root.Name]
		}
	}
	return scopes
}
