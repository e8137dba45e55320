package graph

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/scalar"
	"github.com/uplinehq/upline/graph/selection"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

// savedCheck is the check of a saved query. The paths of its problems begin with
// definition.
type savedCheck struct {
	problem.List
	schema    *ast.Schema
	query     *recipe.SavedQuery
	doc       *ast.QueryDocument
	operation *ast.OperationDefinition
}

func (c *savedCheck) refuse(code problem.Code, message string, field ...string) {
	c.Add(problem.Invalid(code, message, append([]string{"definition"}, field...)...))
}

func (c *savedCheck) oneQuery() {
	c.refuse(problem.NotApplicable, "must hold one operation, a query", "graphql")
}

func (c *savedCheck) check() {
	if c.operation.Operation != ast.Query || len(c.doc.Operations) != 1 {
		c.oneQuery()
		return
	}
	selection.Walk(c.operation.SelectionSet, c.harmless)
	for _, name := range slices.Sorted(maps.Keys(c.query.Variables)) {
		switch {
		case c.operation.VariableDefinitions.ForName(name) == nil:
			c.refuse(problem.UnknownField, "The query has no such variable", "variables", problem.NameOf(name))
		case name == firstVariable || name == afterVariable || name == onDateVariable:
			c.refuse(problem.NotApplicable, "is given by each run", "variables", name)
		}
	}
	c.connection()
}

// harmless refuses what a shared query must not contain: sensitive values in full,
// introspection, and recipes, which could run each other without end.
func (c *savedCheck) harmless(s ast.Selection) {
	f, ok := s.(*ast.Field)
	if !ok {
		return
	}
	switch {
	case f.Name == "__schema" || f.Name == "__type":
		c.refuse(problem.NotApplicable, "must not ask for the schema", "graphql")
	case f.Arguments.ForName("reveal") != nil:
		c.refuse(problem.NotApplicable, "must not reveal sensitive values: leave out the argument reveal", "graphql")
	case strings.HasPrefix(f.Definition.Type.Name(), "ReportRecipe"):
		c.refuse(problem.NotApplicable, "must not ask for report recipes", "graphql")
	}
}

// connection finds the connection that has the rows, and the columns in its nodes.
func (c *savedCheck) connection() {
	set, field := c.operation.SelectionSet, (*ast.Field)(nil)
	for name := range strings.SplitSeq(c.query.Path, ".") {
		if field = find(set, name, anyhow); field == nil || field.Definition.Type.Elem != nil {
			c.refuse(problem.UnknownField, "must lead through single objects of the response to a connection", "connectionPath")
			return
		}
		set = field.SelectionSet
	}
	if !strings.HasSuffix(field.Definition.Type.Name(), "Connection") {
		c.refuse(problem.InvalidFormat, "must lead to a connection", "connectionPath")
		return
	}
	for _, name := range []string{firstVariable, afterVariable} {
		if a := field.Arguments.ForName(name); a == nil || a.Value.Kind != ast.Variable || a.Value.Raw != name {
			c.refuse(problem.Required, "The connection must be paged with first: $first, after: $after", "graphql")
			return
		}
	}
	nodes, info := itself(set, "nodes"), itself(set, "pageInfo")
	if nodes == nil || info == nil || itself(set, "totalCount") == nil || itself(info.SelectionSet, "hasNextPage") == nil || itself(info.SelectionSet, "endCursor") == nil {
		c.refuse(problem.Required, "The connection must ask for nodes, pageInfo { hasNextPage endCursor } and totalCount, without directives and by these names", "graphql")
		return
	}
	for i := range c.query.Columns {
		c.column(nodes.SelectionSet, &c.query.Columns[i], strconv.Itoa(i))
	}
}

// column finds the value of a column and sets its type: the values of lists become a text.
func (c *savedCheck) column(set ast.SelectionSet, column *insights.Column, index string) {
	var field *ast.Field
	isList := false
	for name := range strings.SplitSeq(column.Key, ".") {
		if field = find(set, name, anyhow); field == nil {
			c.refuse(problem.UnknownField, "must lead from a node of the connection to a value that the query asks for", "columns", index, "field")
			return
		}
		set, isList = field.SelectionSet, isList || field.Definition.Type.Elem != nil
	}
	typ := field.Definition.Type.Name()
	if !c.schema.Types[typ].IsLeafType() {
		c.refuse(problem.InvalidFormat, "must lead to a value, not to an object", "columns", index, "field")
	}
	column.Type = scalar.Values[typ]
	switch {
	case typ == "JSON":
		column.Type = "json"
	case column.Type == "" || isList: // an enum, or another scalar
		column.Type = value.Text
	}
}

// always accepts selections without directives, which no variable leaves out; anyhow
// accepts those with directives, too.
func always(d ast.DirectiveList) bool { return len(d) == 0 }
func anyhow(ast.DirectiveList) bool   { return true }

// itself returns the field of a name, if no variable leaves it out and nothing else has
// its name in the response.
func itself(set ast.SelectionSet, name string) *ast.Field {
	if field := find(set, name, always); field != nil && field.Name == name {
		return field
	}
	return nil
}

// find returns the field that has a name in the response, also inside fragments, among
// the selections whose directives are accepted.
func find(set ast.SelectionSet, name string, accept func(ast.DirectiveList) bool) *ast.Field {
	for _, s := range set {
		if f, ok := s.(*ast.Field); ok && f.Alias == name && accept(f.Directives) {
			return f
		}
		inside, directives := selection.Inside(s)
		if !accept(directives) {
			continue
		}
		if found := find(inside, name, accept); found != nil {
			return found
		}
	}
	return nil
}
