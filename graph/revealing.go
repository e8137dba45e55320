package graph

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/graph/sensitive"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/tenant"
)

// audited passes a response on once the audit entry of what it reveals was written: "one
// audit entry per revealing request".
func (s *Server) audited(ctx context.Context, response *graphql.Response, shown *sensitive.Notes) *graphql.Response {
	if response == nil {
		return nil
	}
	if err := s.auditReveals(ctx, shown.All()); err != nil {
		if away := s.unavailable(ctx, err); away != nil {
			return &graphql.Response{Errors: gqlerror.List{s.tell(ctx, away, nil)}}
		}
		s.log.LogAttrs(ctx, refusal.FaultLevel(ctx), "graphql: no audit entry, so no answer", slog.String("traceId", s.traceID(ctx)), slog.Any("error", err))
		return &graphql.Response{Errors: gqlerror.List{s.fault(ctx)}}
	}
	return response
}

// auditReveals records the sensitive values that an answer shows in full. If the door
// itself knows better whether the answer goes out, as REST does, it leaves that to the
// door.
func (s *Server) auditReveals(ctx context.Context, values []sensitive.Value) error {
	if len(values) == 0 {
		return nil
	}
	shown := audit.Shown{Operation: rootFields(ctx), Entries: revealEntries(ctx, values)}
	if held := audit.Held(ctx); held != nil {
		*held = shown
		return nil
	}
	return s.trail.RevealShown(ctx, shown)
}

// revealEntries returns an entry for each type of object whose sensitive values were
// shown in full.
func revealEntries(ctx context.Context, values []sensitive.Value) []audit.Entry {
	caller, _ := tenant.CallerFrom(ctx)
	byType := map[string]int{}
	var entries []audit.Entry
	for _, v := range values {
		i, ok := byType[v.EntityType]
		if !ok {
			i = len(entries)
			byType[v.EntityType], entries = i, append(entries, audit.Entry{EntityType: v.EntityType, Initiator: caller.Subject})
		}
		e := &entries[i]
		e.EntityKeys = appendNew(e.EntityKeys, v.Key)
		e.Changes = appendNew(e.Changes, audit.Change{Field: v.Field})
	}
	for _, e := range entries {
		slices.SortFunc(e.Changes, func(a, b audit.Change) int { return strings.Compare(a.Field, b.Field) })
	}
	return entries
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

// appendNew appends a value to a list that does not have it yet.
func appendNew[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}
