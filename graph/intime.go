package graph

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/internal/problem"
)

// inTime runs a query or a mutation, and bounds its time. A query that ran out of time has no
// data, since partial data could pass for all of it. A mutation answers what it did until
// then.
func (s *Server) inTime(ctx context.Context, opCtx *graphql.OperationContext) *graphql.Response {
	within := s.within
	if imports(opCtx.Operation) {
		within = importTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	response := s.dispatch(ctx, opCtx, readings)
	late := s.ranOut(ctx, response)
	switch {
	case opCtx.Operation.Operation != ast.Query && !isNull(response):
		return response
	case late:
		return s.timedOut(ctx, response)
	}
	return withoutData(response)
}

// imports reports whether an operation does nothing but read or import a file.
func imports(operation *ast.OperationDefinition) bool {
	if operation.Operation != ast.Mutation || len(operation.SelectionSet) != 1 {
		return false
	}
	field, ok := operation.SelectionSet[0].(*ast.Field)
	return ok && (field.Name == "bulkImport" || field.Name == "bulkUnderstand")
}

// eventInTime bounds the time of the answer to one event. Waiting for the event is not
// bounded: the time begins with the first field that is read of it.
func (s *Server) eventInTime(next graphql.ResponseHandler) graphql.ResponseHandler {
	return func(ctx context.Context) *graphql.Response {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		begun := &eventTime{within: s.within, expire: func() { cancel(context.DeadlineExceeded) }}
		response := next(context.WithValue(ctx, eventTimeKey{}, begun))
		begun.end()
		if response != nil && s.ranOut(ctx, response) {
			return s.timedOut(ctx, response)
		}
		return response
	}
}

// eventTime is the time that is left for one event.
type eventTime struct {
	within time.Duration
	expire func()

	mu    sync.Mutex
	timer *time.Timer
}

type eventTimeKey struct{}

// begin starts the time of the event that a context is for, if any.
func begin(ctx context.Context) {
	if t, ok := ctx.Value(eventTimeKey{}).(*eventTime); ok {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.timer == nil {
			t.timer = time.AfterFunc(t.within, t.expire)
		}
	}
}

func (t *eventTime) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
}

// isLate reports whether the time of an operation, or of an event, is over. It looks at
// the time and not at the error, since each driver words an interruption in its own way.
func isLate(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// ranOut reports whether a response is incomplete because its time was over. It logs that
// once, however many fields were under way.
func (s *Server) ranOut(ctx context.Context, response *graphql.Response) bool {
	if !isLate(ctx) || response != nil && len(response.Errors) == 0 {
		return false
	}
	paths := []string{}
	if response != nil {
		for _, e := range response.Errors {
			paths = append(paths, e.Path.String())
		}
	}
	s.log.LogAttrs(ctx, slog.LevelError, "graphql: out of time", slog.String("traceId", s.traceID(ctx)),
		slog.Int("fields", len(paths)), slog.Any("paths", paths[:min(len(paths), loggedPaths)]))
	return true
}

// loggedPaths is how many fields that ran out of time the log names.
const loggedPaths = 3

// withoutData drops the data of a response if the database was away for a part of it:
// partial data could pass for all of it, and a client that asks again soon gets all.
func withoutData(response *graphql.Response) *graphql.Response {
	if response == nil {
		return nil
	}
	for _, err := range response.Errors {
		if err.Extensions["code"] == codeUnavailable && err.Extensions["retryAfter"] != nil {
			return &graphql.Response{Errors: gqlerror.List{err}, Extensions: response.Extensions}
		}
	}
	return response
}

func isNull(response *graphql.Response) bool {
	return response == nil || len(response.Data) == 0 || bytes.Equal(response.Data, []byte("null"))
}

func (s *Server) timedOut(ctx context.Context, response *graphql.Response) *graphql.Response {
	out := &graphql.Response{Errors: gqlerror.List{s.tell(ctx, problem.TooLate(), nil)}}
	if response != nil {
		out.Extensions = response.Extensions
	}
	return out
}
