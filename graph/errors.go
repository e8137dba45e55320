package graph

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/graph/resolve"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/problem"
)

// The values of extensions.code that this package gives.
const (
	codeTimeout     = problem.Timeout
	codeUnavailable = "UNAVAILABLE"
)

// aroundField is the middleware of every field.
func (s *Server) aroundField(ctx context.Context, next graphql.Resolver) (any, error) {
	fc := graphql.GetFieldContext(ctx)
	if fc.Object == "Mutation" {
		if err := resolve.WithinLimit(ctx, fc.Field.Name); err != nil {
			return nil, err
		}
		// What an earlier field of the request read may have changed since.
		ctx, err := ifMatch(withOperation(ctx, fc.Field.Name), fc)
		if err != nil {
			return nil, err
		}
		if err := s.rehearse(ctx, fc); err != nil {
			return nil, err
		}
		given := resolve.SentInput(ctx)
		initiated(ctx, fc, given)
		res, err := next(loader.NewContext(reasoned(ctx, given)))
		return s.userErrors(fc, res, unmatched(err))
	}
	if fc.Parent == nil { // only the values of an event are written without a field around them
		begin(ctx)
	}
	res, err := next(ctx)
	if err == nil {
		res, err = s.read.Fill(ctx, res)
	}
	if err != nil {
		return nil, err
	}
	return res, s.enumerations.check(fc, res)
}

// withOperation returns a context that names the operation, for the audit trail.
func withOperation(ctx context.Context, name string) context.Context {
	o := audit.OriginFrom(ctx)
	o.Operation = name
	return audit.WithOrigin(ctx, o)
}

// userErrors turns what a mutation refused into the userErrors of its payload,
// so that no resolver builds them.
func (s *Server) userErrors(fc *graphql.FieldContext, res any, err error) (any, error) {
	problems := problem.From(err)
	payload := reflect.TypeOf(res)
	if problems == nil || payload == nil || problems[0].Status != 0 { // a fault, or refused before the resolver, or as a request
		return res, err
	}
	refused := reflect.New(payload.Elem())
	refused.Elem().FieldByName("UserErrors").Set(reflect.ValueOf(resolve.UserErrors(problems, s.inputOf(fc))))
	return refused.Interface(), nil
}

// inputOf is the type of a mutation's argument input, nil when it has none.
func (s *Server) inputOf(fc *graphql.FieldContext) *ast.Definition {
	if argument := fc.Field.Definition.Arguments.ForName("input"); argument != nil {
		return s.schema.Types[argument.Type.Name()]
	}
	return nil
}

// present turns the error of a field into what a client may see. A refusal keeps its
// text; any other error is logged and replaced.
func (s *Server) present(ctx context.Context, err error) *gqlerror.Error {
	var shown *gqlerror.Error
	if errors.As(err, &shown) && isGone(ctx, shown.Message) {
		return shown // nobody sees it
	}
	if store.FailedOnReplica(ctx) {
		return gqlerror.WrapIfUnwrapped(err) // nor this
	}
	problems := problem.From(err)
	if shown != nil && (shown.Extensions["code"] != nil || shown.Err == nil && problems == nil) { // it was told before
		return s.traced(ctx, shown)
	}
	path := graphql.GetPath(ctx)
	if problems != nil {
		problems = located(problems, shown, path)
		last := len(problems) - 1
		for _, p := range problems[:last] { // messages that are returned follow those that are added
			graphql.AddError(ctx, s.tell(ctx, p, path))
		}
		return s.tell(ctx, problems[last], path)
	}
	if away := s.unavailable(ctx, err); away != nil {
		return s.tell(ctx, away, path)
	}
	if isLate(ctx) { // the log has one line for the whole operation
		return s.tell(ctx, problem.TooLate(), path)
	}
	s.log.LogAttrs(ctx, refusal.FaultLevel(ctx), "graphql: field failed", slog.String("path", path.String()),
		slog.String("traceId", s.traceID(ctx)), slog.Any("error", err))
	if dberror.IsTimeout(err) {
		return s.tell(ctx, problem.TooLate(), path)
	}
	fault := s.fault(ctx)
	fault.Path = path
	if isUnreadable(err) {
		fault.Extensions["reason"] = ReasonUnreadable
	}
	return fault
}

// tell returns a refusal as the error of a field.
func (s *Server) tell(ctx context.Context, p *problem.Error, path ast.Path) *gqlerror.Error {
	e := refusal.Error(p)
	e.Path = path
	return s.traced(ctx, e)
}

// fault returns the error that stands for a failure of the server.
func (s *Server) fault(ctx context.Context) *gqlerror.Error {
	return s.traced(ctx, &gqlerror.Error{Message: problem.Fault().Message, Extensions: map[string]any{"code": refusal.Internal}})
}

// unavailable returns the refusal for an error that means that the database is away or
// the client has left; nil for any other error. It logs the error, but each reason only
// once in a while.
func (s *Server) unavailable(ctx context.Context, err error) *problem.Error {
	away := s.outage(ctx, err)
	if away == nil && errors.Is(context.Cause(ctx), context.Canceled) {
		away = problem.Interrupted()
	}
	return away
}

// located adds to the problems of an argument, which could not be read, where in the
// arguments it is: gqlgen has that as the rest of the path.
func located(problems problem.List, at *gqlerror.Error, path ast.Path) problem.List {
	if at == nil || len(at.Path) <= len(path) || len(problems) != 1 || problems[0].Field != nil {
		return problems
	}
	field := make([]string, 0, len(at.Path)-len(path))
	for _, element := range at.Path[len(path):] {
		field = append(field, fmt.Sprint(element))
	}
	return problem.List{problems[0].Under(field...)}
}

// traced puts the trace id on an error.
func (s *Server) traced(ctx context.Context, e *gqlerror.Error) *gqlerror.Error {
	if e.Extensions == nil {
		e.Extensions = map[string]any{}
	}
	e.Extensions["traceId"] = s.traceID(ctx)
	return e
}

// recovered turns a panic into a fault.
func (s *Server) recovered(ctx context.Context, p any) error {
	s.log.LogAttrs(ctx, slog.LevelError, "graphql: panic", slog.String("traceId", s.traceID(ctx)),
		slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
	return errors.New("panic in a resolver")
}
