package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/problem"
)

// FreeQuery is Query for a text that a client brings, which one that may run its trusted
// documents only may not.
func (s *Server) FreeQuery(ctx context.Context, document, operationName string, variables map[string]any) *graphql.Response {
	if refused := s.documents.trust(ctx, paramsOf(document, operationName, variables)); refused != nil {
		return &graphql.Response{Errors: gqlerror.List{refused}}
	}
	return s.Query(ctx, document, operationName, variables)
}

// Query runs a query in process, for a door whose clients only read. It refuses any other
// operation before it begins.
func (s *Server) Query(ctx context.Context, document, operationName string, variables map[string]any) *graphql.Response {
	ctx = graphql.StartOperationTrace(s.withOrigin(ctx, audit.GraphQL))
	opCtx, errs := s.CreateOperationContext(ctx, paramsOf(document, operationName, variables))
	if errs == nil && opCtx.Operation.Operation != ast.Query {
		errs = gqlerror.List{refusal.Error(problem.Invalid(problem.NotApplicable, "Only queries are run here, and this is a "+string(opCtx.Operation.Operation), "query"))}
	}
	return s.answer(ctx, opCtx, errs)
}
