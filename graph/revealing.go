package graph

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/internal/audit"
	"github.com/uplinehq/upline/internal/tenant"
)

// audited returns a handler whose answers go out only after the audit entry of
// what they reveal was written: "one audit entry per revealing request".
func (s *Server) audited(next graphql.ResponseHandler, shown *reveals) graphql.ResponseHandler {
	return func(ctx context.Context) *graphql.Response {
		response := next(ctx)
		if response == nil {
			return nil
		}
		if err := s.auditReveals(ctx, shown.All()); err != nil {
			s.log.LogAttrs(ctx, slog.LevelError, "graphql: no audit entry, so no answer", slog.String("traceId", s.traceID(ctx)), slog.Any("error", err))
			return &graphql.Response{Errors: gqlerror.List{{
				Message:    "The server could not answer. Name the trace id when you ask for help.",
				Extensions: map[string]any{"code": codeInternal, "traceId": s.traceID(ctx)},
			}}}
		}
		return response
	}
}

// auditReveals writes one entry for each type of object of which sensitive values
// were shown in full.
func (s *Server) auditReveals(ctx context.Context, shown []revealed) error {
	if len(shown) == 0 {
		return nil
	}
	caller, _ := tenant.CallerFrom(ctx)
	byType := map[string]*audit.Entry{}
	var types []string
	for _, r := range shown {
		e, ok := byType[r.EntityType]
		if !ok {
			e = &audit.Entry{EntityType: r.EntityType, Initiator: caller.Subject}
			byType[r.EntityType], types = e, append(types, r.EntityType)
		}
		e.EntityKeys = appendNew(e.EntityKeys, r.Key)
		e.Changes = appendNew(e.Changes, audit.Change{Field: r.Field})
	}
	ctx = withOperation(ctx, rootFields(ctx))
	for _, t := range types {
		slices.SortFunc(byType[t].Changes, func(a, b audit.Change) int { return strings.Compare(a.Field, b.Field) })
		if err := s.trail.Reveal(ctx, *byType[t]); err != nil {
			return err
		}
	}
	return nil
}

// rootFields names the root fields of an operation.
func rootFields(ctx context.Context) string {
	var names []string
	for _, selection := range graphql.GetOperationContext(ctx).Operation.SelectionSet {
		if f, ok := selection.(*ast.Field); ok {
			names = appendNew(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// appendNew appends what is not in a list yet.
func appendNew[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}
