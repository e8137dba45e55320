// Package extract turns a query into a document that reads only one of its connections,
// page by page, and finds the columns and the scopes of the rows.
package extract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/graph/selection"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/problem"
)

// The variables of a Document, besides those of the query: the rows of a page, the cursor
// after which they begin, and whether all rows are counted.
const (
	First    = "exportFirst"
	After    = "exportAfter"
	Counting = "exportCounting"
)

// The names in an answer of the page's own fields.
const (
	PageInfo = "exportPageInfo"
	Total    = "exportTotal"
)

// Connection is a connection of a query, to be read page by page.
type Connection struct {
	// Document reads a page.
	Document string
	// Path leads to the connection in an answer, and Rows is the name of its rows
	// there.
	Path []string
	Rows string
	// Columns are the leaves of a row, in the order of the query.
	Columns []sheet.Column
	// Scopes are the scopes of the fields that are read.
	Scopes []string
}

// Explain removes values from the messages of a parser or validator.
type Explain func(doc *ast.QueryDocument, errs gqlerror.List)

// paging are the arguments that the export itself sets.
var paging = []string{"first", "after", "last", "before", "offset"}

// New finds the connection at a path: names in the answer with dots between them. It
// returns problems of query and connectionPath. It also refuses a document that is
// larger, with its fragments spread out, than an operation may be, since the code that
// follows walks all of it.
func New(schema *ast.Schema, document, path string, explain Explain) (*Connection, error) {
	doc, err := parse(schema, document, explain)
	if err != nil {
		return nil, err
	}
	if len(doc.Operations) != 1 || doc.Operations[0].Operation != ast.Query {
		return nil, problem.Invalid(problem.InvalidFormat, "must be a document of one query", "query")
	}
	operation := doc.Operations[0]
	if over := limits.Shape(doc, operation); over != nil {
		return nil, problem.Invalid(problem.InvalidFormat, "is not accepted: "+over.Message, "query")
	}
	c, names := &compiler{schema: schema}, strings.Split(path, ".")
	set, err := c.lead(operation.SelectionSet, names)
	if err != nil {
		return nil, err
	}
	switch {
	case c.found == 0:
		return nil, problem.Invalid(problem.InvalidFormat, "must lead to a connection that the query selects, by the names or aliases of its fields with dots between them", "connectionPath")
	case c.found > 1:
		return nil, problem.Invalid(problem.InvalidFormat, "selects the connection more than once", "query")
	}
	found := &Connection{Path: names, Rows: c.rows.Alias}
	if found.Columns, err = c.columns([]ast.SelectionSet{c.rows.SelectionSet}, nil); err != nil {
		return nil, err
	}
	u := used{fragments: map[string]bool{}, variables: map[string]bool{First: true, After: true, Counting: true}, scopes: map[string]bool{}}
	u.directives(operation.Directives)
	u.set(set)
	found.Scopes = u.sortedScopes()
	found.Document, err = print(doc, operation, set, u)
	return found, err
}

func parse(schema *ast.Schema, document string, explain Explain) (*ast.QueryDocument, error) {
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: document}, limits.MaxTokens)
	var errs gqlerror.List
	if err != nil {
		errs, doc = gqlerror.List{gqlerror.WrapIfUnwrapped(err)}, nil
		errs[0].Extensions = map[string]any{"code": "GRAPHQL_PARSE_FAILED"}
	} else {
		errs = validator.ValidateWithRules(schema, doc, rules.NewDefaultRules())
	}
	if len(errs) == 0 {
		return doc, nil
	}
	explain(doc, errs)
	var refused problem.List
	for _, e := range errs[:min(len(errs), 10)] {
		refused.Add(problem.Invalid(problem.InvalidFormat, "is not a valid query: "+e.Message+place(e), "query"))
	}
	return nil, refused
}

func place(e *gqlerror.Error) string {
	if len(e.Locations) == 0 {
		return ""
	}
	return fmt.Sprintf(" (line %d, column %d)", e.Locations[0].Line, e.Locations[0].Column)
}

// print writes the document that reads a page: the operation with a selection set, and
// the fragments and variables that it uses.
func print(doc *ast.QueryDocument, operation *ast.OperationDefinition, set ast.SelectionSet, u used) (string, error) {
	for _, name := range []string{First, After, Counting} {
		if operation.VariableDefinitions.ForName(name) != nil {
			return "", problem.Invalid(problem.ReservedName, "must not have the variable "+name+", which is the export's", "query")
		}
	}
	page := *operation
	page.SelectionSet = set
	page.VariableDefinitions = ast.VariableDefinitionList{
		{Variable: First, Type: ast.NonNullNamedType("Int", nil)},
		{Variable: After, Type: ast.NamedType("String", nil)},
		{Variable: Counting, Type: ast.NonNullNamedType("Boolean", nil)},
	}
	for _, v := range operation.VariableDefinitions {
		if u.variables[v.Variable] {
			page.VariableDefinitions = append(page.VariableDefinitions, v)
		}
	}
	out := &ast.QueryDocument{Operations: ast.OperationList{&page}}
	for _, f := range doc.Fragments {
		if u.fragments[f.Name] {
			out.Fragments = append(out.Fragments, f)
		}
	}
	var text strings.Builder
	formatter.NewFormatter(&text, formatter.WithIndent(" ")).FormatQueryDocument(out)
	return text.String(), nil
}

// used is what selection sets refer to: fragments and variables.
type used struct {
	fragments, variables, scopes map[string]bool
}

func (u used) set(set ast.SelectionSet) {
	selection.Walk(set, func(s ast.Selection) {
		u.directives(selection.Directives(s))
		switch s := s.(type) {
		case *ast.Field:
			if d := s.Definition; d != nil {
				if scope := d.Directives.ForName("hasScope"); scope != nil {
					u.scopes[scope.Arguments.ForName("scope").Value.Raw] = true
				}
			}
			u.arguments(s.Arguments)
		case *ast.FragmentSpread:
			u.fragments[s.Name] = true
			u.directives(s.Definition.Directives)
		}
	})
}

func (u used) directives(list ast.DirectiveList) {
	for _, d := range list {
		u.arguments(d.Arguments)
	}
}

func (u used) arguments(list ast.ArgumentList) {
	for _, a := range list {
		u.value(a.Value)
	}
}

func (u used) value(v *ast.Value) {
	if v.Kind == ast.Variable {
		u.variables[v.Raw] = true
	}
	for _, child := range v.Children {
		u.value(child.Value)
	}
}

func (u used) sortedScopes() []string {
	var list []string
	for scope := range u.scopes {
		list = append(list, scope)
	}
	slices.Sort(list)
	return list
}
