package graph

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/problem"
)

// Saved queries are report recipes that are GraphQL documents (api "Report
// recipe"). They run as any document does: through the same limits and directives,
// with the tenant and the scopes of the caller.

// The variables that page a saved query, and those for its day and for what was known.
const (
	firstVariable  = "first"
	afterVariable  = "after"
	onDateVariable = "onDate"
	// asKnownAtVariable can be given by a run, or be a variable like others.
	asKnownAtVariable = "asKnownAt"
	// offsetVariable is added to a query when rows are skipped.
	offsetVariable = "recipeOffset"
)

// largestPage is the page size for which the cost of a saved query is checked: no
// tenant's lists have larger pages.
const largestPage = 100

// CheckQuery implements recipe.SavedQueries. Saving a query is bringing a document, which
// runs afterwards.
func (s *Server) CheckQuery(ctx context.Context, q *recipe.SavedQuery) (problem.List, error) {
	if s.identity != nil {
		err := s.identity.MayBring(ctx, "definition", "graphql")
		if refused := problem.From(err); len(refused) > 0 {
			return refused, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return s.checkSaved(ctx, q, largestPage).List, nil
}

// checkSaved parses a query, for pages of a size, with the limits of every document and
// the rules of saved queries.
func (s *Server) checkSaved(ctx context.Context, q *recipe.SavedQuery, first int) *savedCheck {
	c := &savedCheck{schema: s.schema, query: q}
	sample := s.sampleVariables(q, first)
	op, errs := s.exec.CreateOperationContext(graphql.StartOperationTrace(limits.WithoutCharge(ctx)), &graphql.RawParams{Query: q.Document, Variables: sample})
	switch {
	case len(errs) == 0:
		c.doc, c.operation = op.Doc, op.Operation
		c.check()
	case op.Doc != nil && op.Operation == nil:
		c.oneQuery()
	default:
		transport.Explain(op, errs)
		for _, e := range errs {
			if p := variableProblem(e, sample, func(name string) []string { return []string{"definition", "variables", name} }); p != nil {
				c.Add(p)
				continue
			}
			c.refuse(problem.InvalidFormat, "is not accepted: "+e.Message, "graphql")
		}
	}
	return c
}

// variableProblem returns what is wrong with a variable, nil if the error is about
// something else: "bad parameters → 400 naming the parameter" (api "Report recipe").
// field is where the values of variables come from.
func variableProblem(e *gqlerror.Error, variables map[string]any, field func(name string) []string) *problem.Error {
	if len(e.Path) < 2 || e.Path[0] != ast.PathName("variable") {
		return nil
	}
	name, _ := e.Path[1].(ast.PathName) // which the document declares
	path := field(string(name))
	if variables[string(name)] == nil {
		return problem.Invalid(problem.Required, "is required", path...)
	}
	for _, step := range e.Path[2:] {
		switch step := step.(type) {
		case ast.PathName:
			path = append(path, problem.NameOf(string(step)))
		case ast.PathIndex:
			path = append(path, strconv.Itoa(int(step)))
		}
	}
	return problem.Invalid(problem.InvalidFormat, e.Message, path...)
}

// sampleVariables returns the variables that a query is checked with: its own values, the
// size of the page, and a value of the right type for each required variable without one.
func (s *Server) sampleVariables(q *recipe.SavedQuery, first int) map[string]any {
	sample := maps.Clone(q.Variables)
	if sample == nil {
		sample = map[string]any{}
	}
	sample[firstVariable] = first
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
func (s *Server) RunQuery(ctx context.Context, q *recipe.SavedQuery, in insights.Request) (*insights.Result, error) {
	c := s.checkSaved(ctx, q, *in.First)
	if err := c.Err(); err != nil {
		return nil, err
	}
	variables, err := c.variables(in)
	if err != nil {
		return nil, err
	}
	document := q.Document
	if in.Offset != nil && *in.Offset > 0 {
		if document, err = c.skipping(); err != nil {
			return nil, err
		}
		variables[offsetVariable] = json.Number(strconv.Itoa(*in.Offset))
	}
	response := s.runInside(ctx, document, variables)
	if response == nil {
		return nil, context.Cause(ctx)
	}
	if !OnlyUnreadable(response.Errors) {
		return nil, standing(ctx, response.Errors, variables, in)
	}
	if graphql.GetFieldContext(ctx) != nil {
		for _, e := range response.Errors { // their cells are null
			e.Path, e.Locations = graphql.GetPath(ctx), nil
			graphql.AddError(ctx, e)
		}
	}
	page, err := c.page(response.Data)
	if page != nil {
		page.Parameters = c.inForce(variables)
	}
	return page, err
}

// standing turns the errors of a document that ran inside a field into errors of that
// field: the client did not send that document, so its paths and positions mean nothing
// to it. An error about a variable names the argument of the run that gives it.
func standing(ctx context.Context, errs gqlerror.List, variables map[string]any, in insights.Request) error {
	var refused problem.List
	for _, e := range errs {
		refused.Add(variableProblem(e, variables, func(name string) []string {
			switch name {
			case firstVariable, afterVariable, onDateVariable, asKnownAtVariable:
				return []string{name}
			}
			return []string{in.Given(), name}
		}))
		e.Path, e.Locations = graphql.GetPath(ctx), nil
	}
	if len(refused) > 0 { // nothing ran
		return refused
	}
	last := len(errs) - 1
	for _, e := range errs[:last] { // errors that are returned follow those that are added
		graphql.AddError(ctx, e)
	}
	return errs[last]
}

// runInside runs a document inside another operation: what it changes or reveals
// belongs to the same request, which records it (see dispatch).
func (s *Server) runInside(ctx context.Context, document string, variables map[string]any) *graphql.Response {
	ctx = graphql.StartOperationTrace(ctx)
	now := graphql.Now()
	op, errs := s.CreateOperationContext(ctx, &graphql.RawParams{Query: document, Variables: variables, ReadTime: graphql.TraceTiming{Start: now, End: now}})
	if errs != nil {
		transport.Explain(op, errs)
		return &graphql.Response{Errors: errs}
	}
	respond, ctx := s.DispatchOperation(ctx, op)
	return respond(ctx)
}

// variablesOf returns the variables that a document declares; none when it cannot be
// parsed.
func variablesOf(document string) ast.VariableDefinitionList {
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: document}, limits.MaxTokens)
	if err != nil || len(doc.Operations) != 1 {
		return nil
	}
	return doc.Operations[0].VariableDefinitions
}
