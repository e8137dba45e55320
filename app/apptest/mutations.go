package apptest

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"

	"github.com/uplinehq/upline/rest/operations"
	"github.com/uplinehq/upline/rest/paths"
)

// Mutations knows the mutation of every request that changes something.
type Mutations struct {
	// all tells of each whether a path of REST makes it.
	all    map[string]bool
	byPath []changing
}

// changing is a path of REST whose operation is a mutation.
type changing struct{ method, pattern, mutation string }

// Mutations returns those of the server's schema.
func (w *World) Mutations(t T) *Mutations {
	t.Helper()
	m, schema := &Mutations{all: map[string]bool{}}, w.Graph.Schema()
	for _, f := range schema.Mutation.Fields {
		m.all[f.Name] = false
	}
	for _, api := range paths.All {
		for _, route := range api.Routes {
			o, err := operations.Read(schema, route.Operation)
			if err != nil {
				t.Fatalf("%v", err)
			}
			if o.Definition.Operation == "mutation" {
				m.all[o.Root.Name] = true
				m.byPath = append(m.byPath, changing{route.Method, api.Base + route.Path, o.Root.Name})
			}
		}
	}
	return m
}

// ByREST tells of each mutation whether a path of REST makes it.
func (m *Mutations) ByREST() map[string]bool { return m.all }

// rootField finds fields with arguments, or with a selection, however a document is packed.
var rootField = regexp.MustCompile(`\b[a-zA-Z]+[({ ]`)

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
		name := found[:len(found)-1]
		if _, isOne := m.all[name]; isOne {
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
