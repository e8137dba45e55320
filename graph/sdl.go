package graph

import (
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"

	"github.com/uplinehq/upline/graph/generated"
)

// schema is the schema of the generated code, without directives that the server does not
// serve. All servers of a process share it.
var schema = sync.OnceValue(func() *ast.Schema {
	s := generated.NewExecutableSchema(generated.Config{}).Schema()
	delete(s.Directives, "defer") // the transport answers in one piece, so without @defer
	return s
})

// Schema returns the schema that the server runs.
func Schema() *ast.Schema { return schema() }

// SDL prints the schema: the published contract.
func SDL() string {
	var b strings.Builder
	b.WriteString("# Code generated from graph/schema by go generate. DO NOT EDIT.\n\n")
	formatter.NewFormatter(&b, formatter.WithIndent("  ")).FormatSchema(Schema())
	return b.String()
}
