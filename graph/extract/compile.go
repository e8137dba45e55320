package extract

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/scalar"
	"github.com/uplinehq/upline/graph/selection"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/problem"
)

// compiler finds a connection and keeps the selections that lead to it. It writes
// fragments on the way out in full, so that nothing else of them is read.
type compiler struct {
	schema *ast.Schema
	// found counts the connections that the path leads to; rows is the selection
	// of the rows of the last.
	found int
	rows  *ast.Field
}

// lead keeps the selections that lead along names to the connection.
func (c *compiler) lead(set ast.SelectionSet, names []string) (kept ast.SelectionSet, err error) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			if s.Alias != names[0] {
				continue
			}
			f := *s
			if len(names) == 1 {
				err = c.connection(&f)
			} else {
				err = c.through(&f, names[1:])
			}
			if len(f.SelectionSet) > 0 {
				kept = append(kept, &f)
			}
		case *ast.InlineFragment:
			kept, err = c.inside(kept, s.TypeCondition, s.Directives, s.SelectionSet, func(below ast.SelectionSet) (ast.SelectionSet, error) { return c.lead(below, names) })
		case *ast.FragmentSpread:
			kept, err = c.inside(kept, s.Definition.TypeCondition, s.Directives, s.Definition.SelectionSet, func(below ast.SelectionSet) (ast.SelectionSet, error) { return c.lead(below, names) })
		}
		if err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// inside adds a fragment if keep keeps something of it.
func (*compiler) inside(kept ast.SelectionSet, on string, directives ast.DirectiveList, set ast.SelectionSet, keep func(ast.SelectionSet) (ast.SelectionSet, error)) (ast.SelectionSet, error) {
	below, err := keep(set)
	if err != nil || len(below) == 0 {
		return kept, err
	}
	return append(kept, &ast.InlineFragment{TypeCondition: on, Directives: directives, SelectionSet: below}), nil
}

func (c *compiler) through(f *ast.Field, names []string) (err error) {
	if f.Definition.Type.Elem != nil || c.isConnection(f) {
		return problem.Invalid(problem.InvalidFormat, "must not lead through the list "+f.Alias+": of each of its rows there would be another connection", "connectionPath")
	}
	f.SelectionSet, err = c.lead(f.SelectionSet, names)
	return err
}

// isConnection reports whether a field returns pages of rows.
func (c *compiler) isConnection(f *ast.Field) bool {
	t := c.schema.Types[f.Definition.Type.Name()]
	return t != nil && strings.HasSuffix(t.Name, "Connection") && t.Fields.ForName("nodes") != nil && t.Fields.ForName("pageInfo") != nil
}

// connection makes the field of the connection read a page.
func (c *compiler) connection(f *ast.Field) error {
	takes := f.Definition.Arguments
	if !c.isConnection(f) || takes.ForName("first") == nil || takes.ForName("after") == nil {
		return problem.Invalid(problem.InvalidFormat, "must lead to a connection, a list that is read in pages, which "+f.Alias+" is not", "connectionPath")
	}
	for _, name := range paging {
		if f.Arguments.ForName(name) != nil {
			return problem.Invalid(problem.NotApplicable, "must not page the connection: leave out "+name+", the export reads all rows that the filter lets through", "query")
		}
	}
	var err error
	c.found++
	if f.SelectionSet, err = c.onlyRows(f.SelectionSet); err != nil {
		return err
	}
	if c.rows == nil {
		return problem.Invalid(problem.Required, "must select the rows of the connection, under nodes", "query")
	}
	if c.rows.Alias == PageInfo || c.rows.Alias == Total {
		return problem.Invalid(problem.ReservedName, "must not use the alias "+c.rows.Alias+", which is the export's", "query")
	}
	f.Arguments = append(slices.Clone(f.Arguments), variable("first", First), variable("after", After))
	t := c.schema.Types[f.Definition.Type.Name()]
	f.SelectionSet = append(f.SelectionSet, &ast.Field{Alias: PageInfo, Name: "pageInfo", SelectionSet: ast.SelectionSet{
		&ast.Field{Alias: "hasNextPage", Name: "hasNextPage"}, &ast.Field{Alias: "endCursor", Name: "endCursor"},
	}})
	if t.Fields.ForName("totalCount") != nil {
		f.SelectionSet = append(f.SelectionSet, &ast.Field{Alias: Total, Name: "totalCount",
			Directives: ast.DirectiveList{{Name: "include", Arguments: ast.ArgumentList{variable("if", Counting)}}}})
	}
	return nil
}

func variable(argument, name string) *ast.Argument {
	return &ast.Argument{Name: argument, Value: &ast.Value{Kind: ast.Variable, Raw: name}}
}

// onlyRows keeps the field nodes and nothing beside it. nodes may have no directive,
// which could leave the rows out.
func (c *compiler) onlyRows(set ast.SelectionSet) (kept ast.SelectionSet, err error) {
	for _, selection := range set {
		before := c.rows
		var directives ast.DirectiveList
		switch s := selection.(type) {
		case *ast.Field:
			if s.Name != "nodes" {
				continue
			}
			if c.rows != nil {
				return nil, problem.Invalid(problem.InvalidFormat, "must select nodes of the connection once", "query")
			}
			c.rows, kept, directives = s, append(kept, s), s.Directives
		case *ast.InlineFragment:
			directives = s.Directives
			kept, err = c.inside(kept, s.TypeCondition, nil, s.SelectionSet, c.onlyRows)
		case *ast.FragmentSpread:
			directives = s.Directives
			kept, err = c.inside(kept, s.Definition.TypeCondition, nil, s.Definition.SelectionSet, c.onlyRows)
		}
		if err != nil {
			return nil, err
		}
		if c.rows != before && len(directives) > 0 {
			return nil, problem.Invalid(problem.NotApplicable, "must select nodes without directives, on it and on the fragments around it", "query")
		}
	}
	return kept, nil
}

// entry is a name in an answer, with all that is selected below it.
type entry struct {
	field *ast.Field
	below []ast.SelectionSet
}

// entries returns the names of selection sets in their order, each once.
func entries(sets []ast.SelectionSet) (list []*entry) {
	for _, set := range sets {
		for _, f := range selection.Fields(set) {
			i := slices.IndexFunc(list, func(e *entry) bool { return e.field.Alias == f.Alias })
			if i < 0 {
				i, list = len(list), append(list, &entry{field: f})
			}
			list[i].below = append(list[i].below, f.SelectionSet)
		}
	}
	return list
}

// columns returns the leaves of selection sets. A list is one column, whatever is
// in it.
func (c *compiler) columns(sets []ast.SelectionSet, path []string) (columns []sheet.Column, err error) {
	for _, e := range entries(sets) {
		here := append(slices.Clone(path), e.field.Alias)
		t := e.field.Definition.Type
		of := c.schema.Types[t.Name()]
		switch {
		case c.isConnection(e.field):
			return nil, problem.Invalid(problem.NotApplicable, "must not select the connection "+strings.Join(here, ".")+" of each row, of which there would be only the first page: export it by itself", "query")
		case of != nil && of.IsCompositeType():
			below, err := c.columns(e.below, here)
			if err != nil {
				return nil, err
			}
			if t.Elem != nil {
				below = []sheet.Column{{Path: here}}
			}
			columns = append(columns, below...)
		case t.Elem != nil:
			columns = append(columns, sheet.Column{Path: here})
		default:
			columns = append(columns, sheet.Column{Path: here, Kind: scalar.Values[t.Name()]})
		}
	}
	return columns, nil
}
