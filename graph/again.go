package graph

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/sensitive"
	"github.com/uplinehq/upline/internal/platform/store"
)

// readings is how often a query is read at most.
const readings = 6

// dispatch runs a query or a mutation. A query needs several statements, and a row that
// one of them found may be gone when the next one looks: a certification is deleted, then
// its type. If the schema allows no null there, dispatch runs the whole query again
// instead of failing it. It also runs a query again, on the primary, that failed on the
// read replica.
func (s *Server) dispatch(ctx context.Context, opCtx *graphql.OperationContext, left int) *graphql.Response {
	if opCtx.Operation.Operation != ast.Query {
		left = 1
	}
	again, gone := ctx, (*atomic.Bool)(nil)
	if left > 1 {
		gone = new(atomic.Bool)
	}
	var read *store.Reading
	if opCtx.Operation.Operation == ast.Query {
		ctx, read = s.store.FromReplica(ctx)
	}
	ctx, shown := sensitive.NewContext(loader.NewContext(context.WithValue(ctx, goneKey{}, gone)))
	respond, ctx := s.exec.DispatchOperation(ctx, opCtx)
	answer := respond(ctx)
	if read.Failed() {
		return s.dispatch(store.FromPrimary(again), opCtx, left)
	}
	if gone != nil && gone.Load() && ctx.Err() == nil {
		return s.dispatch(again, opCtx, left-1)
	}
	return s.audited(graphql.OneShot(answer), shown)(graphql.WithOperationContext(ctx, opCtx))
}

type goneKey struct{}

// nulls are the texts of gqlgen's errors about a null that the schema does not allow.
var nulls = []string{"the requested element is null which the schema does not allow", "must not be null"}

// isGone reports whether an error only means that a row is gone, so that the query has to
// be read again, and notes it.
func isGone(ctx context.Context, message string) bool {
	gone, _ := ctx.Value(goneKey{}).(*atomic.Bool)
	if gone == nil || !slices.Contains(nulls, message) {
		return false
	}
	gone.Store(true)
	return true
}
