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

// Query runs a query that a client wrote, in process, for a door whose clients only read.
// It refuses any other operation before it begins.
func (s *Server) Query(ctx context.Context, document, operationName string, variables map[string]any) *graphql.Response {
	ctx = graphql.StartOperationTrace(s.withOrigin(ctx, audit.GraphQL))
	opCtx, errs := s.CreateOperationContext(ctx, paramsOf(document, operationName, variables))
	if errs == nil && opCtx.Operation.Operation != ast.Query {
		errs = gqlerror.List{refusal.Error(problem.Invalid(problem.NotApplicable, "Only queries are run here, and this is a "+string(opCtx.Operation.Operation), "query"))}
	}
	return s.answer(ctx, opCtx, errs)
}
