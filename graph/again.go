package graph

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/internal/store"
)

// readings is how often a query is read at most.
const readings = 6

// dispatch runs a query or a mutation. A query reads with several statements, and
// what one of them found may be gone when the next one looks: a certification was
// deleted, then its type. Where the schema allows no null in its place the query
// does not fail, it is read again, whole. So is one that failed on the read replica,
// from the primary.
func (s *Server) dispatch(ctx context.Context, opCtx *graphql.OperationContext, left int) (graphql.ResponseHandler, context.Context) {
	if opCtx.Operation.Operation != ast.Query {
		left = 1
	}
	gone := new(atomic.Bool)
	if left > 1 {
		ctx = context.WithValue(ctx, goneKey{}, gone)
	} else {
		ctx = context.WithValue(ctx, goneKey{}, (*atomic.Bool)(nil))
	}
	var read *store.Reading
	if opCtx.Operation.Operation == ast.Query {
		ctx, read = s.store.FromReplica(ctx)
	}
	ctx, shown := newReveals(loader.NewContext(ctx))
	respond, ctx := s.exec.DispatchOperation(ctx, opCtx)
	return func(ctx context.Context) *graphql.Response {
		answer := respond(ctx)
		if read.Failed() && ctx.Err() == nil {
			again, ctx := s.dispatch(store.FromPrimary(ctx), opCtx, left)
			return again(ctx)
		}
		if gone.Load() && ctx.Err() == nil {
			again, ctx := s.dispatch(ctx, opCtx, left-1)
			return again(ctx)
		}
		return s.audited(graphql.OneShot(answer), shown)(ctx)
	}, ctx
}

type goneKey struct{}

// nulls are what gqlgen says of a null that the schema does not allow.
var nulls = []string{"the requested element is null which the schema does not allow", "must not be null"}

// isGone reports whether an error only means that the query is to be read again,
// and notes it.
func isGone(ctx context.Context, message string) bool {
	gone, _ := ctx.Value(goneKey{}).(*atomic.Bool)
	if gone == nil || !slices.Contains(nulls, message) {
		return false
	}
	gone.Store(true)
	return true
}
