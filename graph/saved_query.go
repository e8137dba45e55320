package graph

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/problem"
)

// Saved queries are report recipes that are GraphQL documents (api "Report
// recipe"). They run as any document does: through the same limits and directives,
// with the tenant and the scopes of the caller.

// The variables that page a saved query, and the one for its day.
const (
	firstVariable  = "first"
	afterVariable  = "after"
	onDateVariable = "onDate"
)

// largestPage is the page size that the cost of a saved query is checked for: lists
// of a tenant take no more.
const largestPage = 100

// CheckQuery implements recipe.SavedQueries.
func (s *Server) CheckQuery(ctx context.Context, q *recipe.SavedQuery) (problem.List, error) {
	c, err := s.checkSaved(ctx, q)
	if c == nil {
		return nil, err
	}
	return c.List, err
}

// checkSaved parses a query with the limits that hold for every document, and
// checks what is asked of a saved one besides.
func (s *Server) checkSaved(ctx context.Context, q *recipe.SavedQuery) (*savedCheck, error) {
	c := &savedCheck{schema: s.schema, query: q}
	op, errs := s.exec.CreateOperationContext(graphql.StartOperationTrace(limits.WithoutCharge(ctx)), &graphql.RawParams{Query: q.Document, Variables: s.sampleVariables(q)})
	if len(errs) > 0 {
		for _, err := range errs {
			c.refuse(problem.InvalidFormat, "is not accepted: "+err.Message, "graphql")
		}
		return c, nil
	}
	c.doc, c.operation = op.Doc, op.Operation
	c.check()
	return c, nil
}

// sampleVariables are the variables that a query is checked with: its own, the
// largest page, and for what is required something that fits.
func (s *Server) sampleVariables(q *recipe.SavedQuery) map[string]any {
	sample := maps.Clone(q.Variables)
	if sample == nil {
		sample = map[string]any{}
	}
	sample[firstVariable] = largestPage
	for _, v := range variablesOf(q.Document) {
		if _, given := sample[v.Variable]; !given && v.Type.NonNull && v.DefaultValue == nil {
			if fitting := s.sample(v.Type); fitting != nil {
				sample[v.Variable] = fitting
			}
		}
	}
	return sample
}

func (s *Server) sample(t *ast.Type) any {
	if t.Elem != nil {
		return []any{}
	}
	if def := s.schema.Types[t.NamedType]; def != nil && def.Kind == ast.Enum {
		return def.EnumValues[0].Name
	}
	return map[string]any{"String": "x", "ID": "x", "Int": 1, "Boolean": true, "Date": "2026-01-01", "DateTime": "2026-01-01T00:00:00Z", "Decimal": "1"}[t.NamedType]
}

// RunQuery implements recipe.SavedQueries.
func (s *Server) RunQuery(ctx context.Context, q *recipe.SavedQuery, in recipe.QueryRun) (*recipe.QueryPage, error) {
	c, err := s.checkSaved(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	variables, err := c.variables(in)
	if err != nil {
		return nil, err
	}
	response := s.runInside(ctx, q.Document, variables)
	if response == nil {
		return nil, context.Cause(ctx)
	}
	if len(response.Errors) > 0 {
		return nil, standing(ctx, response.Errors)
	}
	page, err := c.page(response.Data)
	if page != nil {
		page.OnDate = c.day(in)
	}
	return page, err
}

// standing puts the errors of a document that ran inside a field beside each other, as
// those of that field: the client did not send the document that their paths and
// places are about.
func standing(ctx context.Context, errs gqlerror.List) error {
	for _, e := range errs {
		e.Path, e.Locations = graphql.GetPath(ctx), nil
	}
	last := len(errs) - 1
	for _, e := range errs[:last] { // what is returned stands behind what is added
		graphql.AddError(ctx, e)
	}
	return errs[last]
}

// runInside runs a document inside another operation: what it changes or reveals
// belongs to the same request.
func (s *Server) runInside(ctx context.Context, document string, variables map[string]any) *graphql.Response {
	ctx = graphql.StartOperationTrace(ctx)
	now := graphql.Now()
	op, errs := s.CreateOperationContext(ctx, &graphql.RawParams{Query: document, Variables: variables, ReadTime: graphql.TraceTiming{Start: now, End: now}})
	if errs != nil {
		return &graphql.Response{Errors: errs}
	}
	respond, ctx := s.DispatchOperation(ctx, op)
	return respond(ctx)
}

// savedCheck is a saved query that is checked. Its problems are about fields below
// definition.
type savedCheck struct {
	problem.List
	schema    *ast.Schema
	query     *recipe.SavedQuery
	doc       *ast.QueryDocument
	operation *ast.OperationDefinition
	// types are those of the columns.
	types []string
}

func (c *savedCheck) refuse(code problem.Code, message string, field ...string) {
	c.Add(problem.Invalid(code, message, append([]string{"definition"}, field...)...))
}

func (c *savedCheck) check() {
	if c.operation.Operation != ast.Query || len(c.doc.Operations) != 1 {
		c.refuse(problem.NotApplicable, "must hold one operation, a query", "graphql")
		return
	}
	c.harmless(c.operation.SelectionSet)
	for _, f := range c.doc.Fragments {
		c.harmless(f.SelectionSet)
	}
	for _, name := range slices.Sorted(maps.Keys(c.query.Variables)) {
		switch {
		case c.operation.VariableDefinitions.ForName(name) == nil:
			c.refuse(problem.UnknownField, "The query has no such variable", "variables", nameOrNot(name))
		case name == firstVariable || name == afterVariable || name == onDateVariable:
			c.refuse(problem.NotApplicable, "is given by each run", "variables", name)
		}
	}
	c.connection()
}

// harmless refuses what a shared query has no business with: sensitive values in
// full, the schema, and recipes, which could run each other without end.
func (c *savedCheck) harmless(set ast.SelectionSet) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			switch {
			case selection.Name == "__schema" || selection.Name == "__type":
				c.refuse(problem.NotApplicable, "must not ask for the schema", "graphql")
			case selection.Arguments.ForName("reveal") != nil:
				c.refuse(problem.NotApplicable, "must not reveal sensitive values: leave out the argument reveal", "graphql")
			case strings.HasPrefix(selection.Definition.Type.Name(), "ReportRecipe"):
				c.refuse(problem.NotApplicable, "must not ask for report recipes", "graphql")
			}
			c.harmless(selection.SelectionSet)
		case *ast.InlineFragment:
			c.harmless(selection.SelectionSet)
		}
	}
}

// connection finds the connection of the rows, and in its nodes the columns.
func (c *savedCheck) connection() {
	set, field := c.operation.SelectionSet, (*ast.Field)(nil)
	for _, name := range c.query.Path {
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
	nodes, info := find(set, "nodes", always), find(set, "pageInfo", always)
	if nodes == nil || info == nil || find(set, "totalCount", always) == nil || find(info.SelectionSet, "hasNextPage", always) == nil || find(info.SelectionSet, "endCursor", always) == nil {
		c.refuse(problem.Required, "The connection must ask for nodes, pageInfo { hasNextPage endCursor } and totalCount, without directives", "graphql")
		return
	}
	for i, column := range c.query.Columns {
		c.types = append(c.types, c.column(nodes.SelectionSet, column, strconv.Itoa(i)))
	}
}

// column finds the value of a column and returns its type.
func (c *savedCheck) column(set ast.SelectionSet, column recipe.QueryColumn, index string) string {
	var field *ast.Field
	for _, name := range column.Path {
		if field = find(set, name, anyhow); field == nil || field.Definition.Type.Elem != nil {
			c.refuse(problem.UnknownField, "must lead through single objects, from a node of the connection, to a value that the query asks for", "columns", index, "field")
			return ""
		}
		set = field.SelectionSet
	}
	typ := field.Definition.Type.Name()
	if !c.schema.Types[typ].IsLeafType() {
		c.refuse(problem.InvalidFormat, "must lead to a value, not to an object", "columns", index, "field")
	}
	return cmp.Or(columnTypes[typ], string(recipe.StringField))
}

// columnTypes are those of columns by scalar; others, and enums, are texts.
var columnTypes = map[string]string{
	"Int": string(recipe.IntField), "Decimal": string(recipe.DecimalField), "Date": string(recipe.DateField),
	"DateTime": string(recipe.DateTimeField), "Boolean": string(recipe.BooleanField), "JSON": "json",
}

// always accepts selections that no variable leaves out; anyhow those with a
// directive, too.
func always(d ast.DirectiveList) bool { return len(d) == 0 }
func anyhow(ast.DirectiveList) bool   { return true }

// find returns the field of a name in the response, also where a fragment has it,
// among the selections whose directives are accepted.
func find(set ast.SelectionSet, name string, accept func(ast.DirectiveList) bool) *ast.Field {
	for _, selection := range set {
		var (
			inside     ast.SelectionSet
			directives ast.DirectiveList
		)
		switch selection := selection.(type) {
		case *ast.Field:
			if selection.Alias == name && accept(selection.Directives) {
				return selection
			}
		case *ast.InlineFragment:
			inside, directives = selection.SelectionSet, selection.Directives
		case *ast.FragmentSpread:
			inside, directives = selection.Definition.SelectionSet, selection.Directives
		}
		if !accept(directives) {
			continue
		}
		if found := find(inside, name, accept); found != nil {
			return found
		}
	}
	return nil
}

// variables are those of a run: the recipe's, in their place those of the run, the
// page and the day.
func (c *savedCheck) variables(in recipe.QueryRun) (map[string]any, error) {
	var refused problem.List
	names := []string{}
	for _, v := range c.operation.VariableDefinitions {
		if v.Variable != firstVariable && v.Variable != afterVariable && v.Variable != onDateVariable {
			names = append(names, v.Variable)
		}
	}
	all := map[string]any{}
	maps.Copy(all, c.query.Variables)
	for _, name := range slices.Sorted(maps.Keys(in.Parameters)) {
		if !slices.Contains(names, name) {
			refused.Add(problem.Invalid(problem.UnknownField, "is not a variable of this query", "tenantParameters", nameOrNot(name)).With("allowed", names))
		}
		all[name] = in.Parameters[name]
	}
	all[firstVariable] = json.Number(strconv.Itoa(in.First))
	if in.After != nil {
		all[afterVariable] = *in.After
	}
	if day := c.day(in); day != nil {
		all[onDateVariable] = day.String()
	} else if in.OnDate != nil {
		refused.Add(problem.Invalid(problem.NotApplicable, "The query has no variable onDate", onDateVariable))
	}
	return all, refused.Err()
}

// day is the variable onDate of a run, if the query has it and there is one.
func (c *savedCheck) day(in recipe.QueryRun) *date.Date {
	if c.operation.VariableDefinitions.ForName(onDateVariable) == nil {
		return nil
	}
	return cmp.Or(in.OnDate, in.DefaultDay)
}

var errNotConnection = errors.New("graph: a saved query answered no connection")

// page takes the rows out of the response.
func (c *savedCheck) page(data []byte) (*recipe.QueryPage, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var root any
	if err := decoder.Decode(&root); err != nil {
		return nil, err
	}
	out := &recipe.QueryPage{Types: c.types}
	connection := valueAt(root, c.query.Path)
	if connection == nil { // an object on the way is not there, and so has no rows
		return out, nil
	}
	nodes, ok := valueAt(connection, []string{"nodes"}).([]any)
	total, ok2 := valueAt(connection, []string{"totalCount"}).(json.Number)
	if !ok || !ok2 {
		return nil, errNotConnection
	}
	for _, node := range nodes {
		row := make([]any, len(c.query.Columns))
		for i, column := range c.query.Columns {
			row[i] = valueAt(node, column.Path)
		}
		out.Rows = append(out.Rows, row)
	}
	out.HasNext, _ = valueAt(connection, []string{"pageInfo", "hasNextPage"}).(bool)
	if end, ok := valueAt(connection, []string{"pageInfo", "endCursor"}).(string); ok {
		out.End = &end
	}
	var err error
	out.TotalCount, err = strconv.Atoi(total.String())
	return out, err
}

// nameOrNot is a name that a client made up, as far as it may be repeated.
func nameOrNot(name string) string {
	if len(name) <= 50 && !strings.ContainsFunc(name, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '_' }) {
		return name
	}
	return "?"
}

// variablesOf are those that a document declares; none when it cannot be read.
func variablesOf(document string) ast.VariableDefinitionList {
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: document}, limits.MaxTokens)
	if err != nil || len(doc.Operations) != 1 {
		return nil
	}
	return doc.Operations[0].VariableDefinitions
}

// valueAt follows names through the objects of a response; nil where there is none.
func valueAt(v any, path []string) any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}
