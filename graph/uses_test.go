package graph

import (
	"maps"
	"slices"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// The coordinates of an operation are its fields, its arguments, what its literals name and
// the types of its variables, also within fragments.
func TestCoordinates(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: `
		type Query { agents(filter: Filter, kind: Kind): [Agent!]! }
		type Agent { name: String, upline: Agent }
		input Filter { code: String, not: Filter, kinds: [Kind!] }
		enum Kind { ONE TWO }`})
	doc, errs := gqlparser.LoadQueryWithRules(schema, `query Q($not: Filter, $kind: Kind = TWO) {
		agents(filter: {not: $not, kinds: [ONE]}, kind: $kind) { ...F ... on Agent { upline { __typename } } }
	} fragment F on Agent { name }`, rules.NewDefaultRules())
	if errs != nil {
		t.Fatal(errs)
	}
	want := []string{"Agent.__typename", "Agent.name", "Agent.upline", "Filter", "Filter.kinds", "Filter.not", "Kind", "Kind.ONE", "Kind.TWO",
		"Query.agents", "Query.agents(filter:)", "Query.agents(kind:)"}
	if got := slices.Sorted(maps.Keys(coordinates(doc.Operations[0]))); !slices.Equal(got, want) {
		t.Errorf("got %q; want %q", got, want)
	}
}
