package graph

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
)

// federationLink is what makes a schema a subgraph of Federation 2.
const federationLink = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])` + "\n\n"

// shared are the types that another subgraph has just so.
var shared = []string{"PageInfo"}

// unfederated are the fields of Query that only make sense at this server: a gateway asks
// for entities, and every subgraph of Relay's kind has a node of its own.
var unfederated = []string{"node", "nodes", "_service", "_entities"}

// Subgraph prints the schema as a subgraph: each Node has its id as a key, and agents their
// code as well.
var Subgraph = sync.OnceValue(func() string {
	s := *Schema()
	s.Types = maps.Clone(s.Types)
	for _, name := range []string{"_Any", "_Entity", "_Service"} {
		delete(s.Types, name)
	}
	query := *s.Query
	query.Fields = slices.DeleteFunc(slices.Clone(query.Fields), func(f *ast.FieldDefinition) bool { return slices.Contains(unfederated, f.Name) })
	s.Query, s.Types[query.Name] = &query, &query

	for _, name := range Schema().Types["_Entity"].Types {
		mark(&s, name, key("id"))
	}
	mark(&s, "Agent", key("agentCode"))
	for _, name := range shared {
		mark(&s, name, &ast.Directive{Name: "shareable"})
	}
	var b strings.Builder
	b.WriteString(federationLink)
	formatter.NewFormatter(&b, formatter.WithIndent("  ")).FormatSchema(&s)
	return b.String()
})

// mark gives a type of a schema a directive.
func mark(s *ast.Schema, name string, d *ast.Directive) {
	def := *s.Types[name]
	def.Directives = append(slices.Clone(def.Directives), d)
	s.Types[name] = &def
}

func key(field string) *ast.Directive {
	value := &ast.Value{Kind: ast.StringValue, Raw: field}
	return &ast.Directive{Name: "key", Arguments: ast.ArgumentList{{Name: "fields", Value: value}}}
}
