package selection_test

import (
	"slices"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/uplinehq/upline/graph/selection"
)

// The fields of an object are those of its fragments, too, in their place; a walk goes
// through all that is below, and through a fragment once.
func TestSelections(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: `type Query { a: Query b: Int c: Int }`})
	document := gqlparser.MustLoadQueryWithRules(schema, `query ($no: Boolean!) { b ...f @skip(if: $no) ... on Query { x: c } a { ...f } } fragment f on Query { c a { b } }`, rules.NewDefaultRules())
	set := document.Operations[0].SelectionSet
	var fields, all, conditions []string
	for _, f := range selection.Fields(set) {
		fields = append(fields, f.Alias)
	}
	selection.Walk(set, func(s ast.Selection) {
		if f, ok := s.(*ast.Field); ok {
			all = append(all, f.Alias)
		}
		for _, d := range selection.Directives(s) {
			conditions = append(conditions, d.Name)
		}
	})
	for _, c := range []struct{ got, want []string }{
		{fields, []string{"b", "c", "a", "x", "a"}}, {all, []string{"b", "c", "a", "b", "x", "a"}}, {conditions, []string{"skip"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}
