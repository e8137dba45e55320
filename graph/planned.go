package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// unplannedKey is set where a plan has failed: the executor reads without plans then.
type unplannedKey struct{}

// planned answers a query whose root fields all have plans, without the executor. It
// returns nil where one has none, and where one fails; the context is that in which the
// executor then answers.
func (s *Server) planned(ctx context.Context, opCtx *graphql.OperationContext) (answer *graphql.Response, elsewhere context.Context) {
	t := tenant.From(ctx)
	if opCtx.Operation.Operation != ast.Query || t == nil || limits.Reports(opCtx) {
		return nil, ctx
	}
	fields, ok := s.plans.whole(ctx, opCtx)
	if !ok {
		return nil, ctx
	}
	elsewhere = context.WithValue(ctx, unplannedKey{}, true)
	defer func() {
		if recover() != nil { // the executor comes to the same, and tells it
			answer, elsewhere = nil, ctx
		}
	}()
	ctx = s.arguments.Inputs(graphql.WithOperationContext(ctx, opCtx))
	b := *answers.Get().(*[]byte)
	b = append(b[:0], '{')
	for i, f := range fields {
		args, err := s.arguments.Of(ctx, f.Name, f.ArgumentMap(opCtx.Variables))
		if err != nil {
			return nil, elsewhere
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(plan.String(b, f.Alias), ':')
		run := s.plans.run(ctx, t, opCtx.Variables, s.plans.types.asOf(ctx, args))
		run.Args = args
		if b, err = s.plans.root(queryType, f, opCtx.Variables).JSON(b, run); err != nil {
			return nil, elsewhere
		}
	}
	return &graphql.Response{Data: append(b, '}')}, nil
}

const queryType = "Query"

// whole returns the root fields of a query, when all have plans that the caller may read.
func (p plans) whole(ctx context.Context, op *graphql.OperationContext) (fields []graphql.CollectedField, ok bool) {
	fields = make([]graphql.CollectedField, len(op.Operation.SelectionSet))
	for i, selection := range op.Operation.SelectionSet {
		f, isField := selection.(*ast.Field)
		if !isField || len(f.Directives) > 0 || !mayRead(ctx, f.Definition) {
			return nil, false
		}
		fields[i] = graphql.CollectedField{Field: f, Selections: f.SelectionSet}
		if p.root(queryType, fields[i], op.Variables) == nil {
			return nil, false
		}
		for _, before := range fields[:i] {
			if before.Alias == f.Alias { // they are one field
				return nil, false
			}
		}
	}
	return fields, true
}

// Release takes the data of an answer back when it was sent: the next answer is written
// into its memory.
func (s *Server) Release(data []byte) {
	if cap(data) > 0 && cap(data) <= keptAnswer {
		answers.Put(&data)
	}
}
