package graph

import (
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/uplinehq/upline/internal/problem"
)

// skipping returns the document with the argument offset added to its connection, which
// was written to page by cursor. It parses the document anew, since others share that of
// the check.
func (c *savedCheck) skipping() (string, error) {
	doc, errs := gqlparser.LoadQueryWithRules(c.schema, c.query.Document, rules.NewDefaultRules())
	if len(errs) > 0 {
		return "", errs
	}
	operation := doc.Operations[0]
	set, field := operation.SelectionSet, (*ast.Field)(nil)
	for name := range strings.SplitSeq(c.query.Path, ".") {
		field = find(set, name, anyhow)
		set = field.SelectionSet
	}
	if field.Definition.Arguments.ForName("offset") == nil {
		return "", problem.Invalid(problem.NotApplicable, "The connection of the query skips no rows", "offset")
	}
	field.Arguments = append(field.Arguments, &ast.Argument{Name: "offset", Value: &ast.Value{Kind: ast.Variable, Raw: offsetVariable}})
	operation.VariableDefinitions = append(operation.VariableDefinitions, &ast.VariableDefinition{Variable: offsetVariable, Type: ast.NamedType("Int", nil)})
	var text strings.Builder
	formatter.NewFormatter(&text).FormatQueryDocument(doc)
	return text.String(), nil
}
