package apptest

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/rest/operations"
	"github.com/uplinehq/upline/rest/paths"
)

// Mutations knows the mutation of every request that changes something.
type Mutations struct {
	schema *ast.Schema
	byPath []changing
}

// changing is a path of REST whose operation is a mutation.
type changing struct{ method, pattern, mutation string }

// NewMutations returns the mutations of a schema.
func NewMutations(t T, schema *ast.Schema) *Mutations {
	t.Helper()
	m := &Mutations{schema: schema}
	for _, api := range paths.All {
		for _, route := range api.Routes {
			o, err := operations.Read(schema, route.Operation)
			if err != nil {
				t.Fatalf("%v", err)
			}
			if o.Definition.Operation == ast.Mutation {
				m.byPath = append(m.byPath, changing{route.Method, api.Base + route.Path, o.Root.Name})
			}
		}
	}
	return m
}

// ByREST tells of each mutation whether a path of REST makes it.
func (m *Mutations) ByREST() map[string]bool {
	all := map[string]bool{}
	for _, f := range m.schema.Mutation.Fields {
		all[f.Name] = false
	}
	for _, p := range m.byPath {
		all[p.mutation] = true
	}
	return all
}

// rootField finds fields with arguments in a document, however it is packed.
var rootField = regexp.MustCompile(`\b[a-zA-Z]+\(`)

// of returns the mutations of a request.
func (m *Mutations) of(r *http.Request, body []byte) (all []string) {
	for _, p := range m.byPath {
		if p.method == r.Method && fits(p.pattern, r.URL.Path) {
			return []string{p.mutation}
		}
	}
	if !bytes.Contains(body, []byte("mutation")) {
		return nil
	}
	for _, found := range rootField.FindAllString(string(body), -1) {
		if name := strings.TrimSuffix(found, "("); m.schema.Mutation.Fields.ForName(name) != nil {
			all = append(all, name)
		}
	}
	return all
}

// fits reports whether a path has the segments of a pattern.
func fits(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i, segment := range want {
		if !strings.HasPrefix(segment, "{") && segment != got[i] {
			return false
		}
	}
	return true
}
