package rest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/resttest"
)

// docs/scopes.md has a row of each path, with its scope.
func TestScopesOfPathsAreDocumented(t *testing.T) {
	const file, begin, end = "../docs/scopes.md", "## REST\n\n", "\n## GraphQL\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rows, _ := strings.Cut(string(text), begin)
	_, after, ok := strings.Cut(rows, end)
	if !ok {
		t.Fatalf("%s has no tables of REST and GraphQL", file)
	}
	scopes, table := resttest.PathScopes(t, graph.Schema()), "| Method | Path | Scope |\n| --- | --- | --- |\n"
	for _, a := range paths.All {
		for _, r := range a.Routes {
			table += fmt.Sprintf("| %s | %s | %s |\n", r.Method, a.Base+r.Path, scopes[r.Method+" "+a.Base+r.Path])
		}
	}
	switch want := before + begin + table + end + after; {
	case want == string(text):
	case *update:
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date (go test ./rest -run TestScopesOfPathsAreDocumented -update)", file)
	}
}
