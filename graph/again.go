package graph

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/sensitive"
	"github.com/uplinehq/upline/internal/known"
	"github.com/uplinehq/upline/internal/platform/audit"
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
	again, run := ctx, &attempt{isLast: left == 1, origin: audit.OriginFrom(ctx)}
	if run.origin.Surface == audit.System { // no other door has said where it comes from
		run.origin = audit.Origin{Surface: audit.GraphQL, TraceID: s.traceID(ctx)}
	}
	var read *store.Reading
	if opCtx.Operation.Operation == ast.Query {
		ctx, read = s.store.FromReplica(ctx)
	} else if opCtx.Operation.Operation == ast.Mutation && !store.IsJoint(ctx) {
		ctx, run.rehearsal = store.WithJoint(ctx)
	}
	around := sensitive.NotesOf(ctx)
	shown := cmp.Or(around, &run.shown)
	ctx = known.With(ctx, known.Is(attemptKey{}, run), known.Is(loader.Fact(&run.loaders)), known.Is(sensitive.Fact(shown)), known.Is(audit.OriginFact(&run.origin)))
	ctx = graphql.WithResponseContext(graphql.WithOperationContext(ctx, opCtx), s.present, s.recovered)
	defer run.endRehearsal(ctx) // whatever happens, the transaction ends
	answer := s.executor.Run(ctx, opCtx)
	run.endRehearsal(ctx)
	if read.Failed() {
		return s.dispatch(store.FromPrimary(again), opCtx, left)
	}
	if run.gone.Load() && ctx.Err() == nil {
		return s.dispatch(again, opCtx, left-1)
	}
	if answer != nil {
		answer.Errors, answer.Extensions = graphql.GetErrors(ctx), limits.Reported(opCtx)
	}
	if around != nil { // the operation around this one answers, and records what it shows
		return answer
	}
	return s.audited(ctx, answer, shown)
}

// attempt is what an operation keeps while it runs.
type attempt struct {
	// gone is set when a row is gone, unless it is the last attempt.
	gone    atomic.Bool
	isLast  bool
	loaders loader.Loaders
	shown   sensitive.Notes
	origin  audit.Origin
	// rehearsal is the transaction of the mutation that is under way, if it is a dry run: what
	// the payload tells is read in it. Nil for a query.
	rehearsal *store.Joint
}

type attemptKey struct{}

// nulls are the texts of gqlgen's errors about a null that the schema does not allow.
var nulls = []string{"the requested element is null which the schema does not allow", "must not be null"}

// isGone reports whether an error only means that a row is gone, so that the query has to
// be read again, and notes it.
func isGone(ctx context.Context, message string) bool {
	run, _ := ctx.Value(attemptKey{}).(*attempt)
	if run == nil || run.isLast || !slices.Contains(nulls, message) {
		return false
	}
	run.gone.Store(true)
	return true
}
