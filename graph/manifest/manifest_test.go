package manifest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/manifest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/problem"
)

// The manifests of three tools are read; what is none, or has a document that the schema
// does not know, is refused with the id of each.
func TestParse(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: "type Query { a: Int, b: Int }"})
	for name, c := range map[string]struct {
		text  string
		want  []identity.Document
		wrong []string // fields of the problems
	}{
		"codegen and Relay": {`{"h2": "query B { b }", "h1": "query A { a }"}`, []identity.Document{{ID: "h1", Body: "query A { a }"}, {ID: "h2", Body: "query B { b }"}}, nil},
		"Apollo":            {`{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id": "x", "name": "A", "type": "query", "body": "query A { a }"}]}`, []identity.Document{{ID: "x", Body: "query A { a }"}}, nil},
		"none":              {`[]`, nil, []string{"manifest"}},
		"null":              {`null`, nil, []string{"manifest"}},
		"no texts":          {`{"h1": 1}`, nil, []string{"manifest"}},
		"one id twice":      {`{"format": "apollo-persisted-query-manifest", "operations": [{"id": "x", "body": "{ a }"}, {"id": "x", "body": "{ b }"}]}`, nil, []string{"manifest.x"}},
		"wrong documents":   {`{"h1": "{ a }", "h2": "{ c }", "h3": "{", "h4": "fragment F on Query { a }", "h5": "{ a } # \u0000"}`, nil, []string{"manifest.h2", "manifest.h3", "manifest.h4", "manifest.h5"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := manifest.Parse([]byte(c.text), schema)
			var wrong []string
			for _, p := range problem.From(err) {
				wrong = append(wrong, strings.Join(p.Field, "."))
			}
			if !slices.Equal(wrong, c.wrong) || err == nil && !slices.Equal(got, c.want) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
