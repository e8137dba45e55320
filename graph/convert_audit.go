package graph

import (
	"context"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/audit"
	"github.com/uplinehq/upline/internal/tenant"
)

func auditFilter(f *model.AuditFilter) audit.Filter {
	if f == nil {
		return audit.Filter{}
	}
	return audit.Filter{
		EntityType: value(f.EntityType), EntityKey: value(f.EntityKey), Initiator: value(f.Initiator),
		Kind: (*audit.Kind)(value(f.Kind)), From: value(f.From), Through: value(f.Through),
	}
}

// auditEntryView returns how the caller sees entries. Who may not see a sensitive
// value is not shown its fingerprint either: with the scope to write, the value
// could be found by writing what it might be and comparing.
func auditEntryView(ctx context.Context) func(*audit.Row) *model.AuditEntry {
	mayReveal := tenant.MayReveal(ctx)
	return func(r *audit.Row) *model.AuditEntry { return auditEntry(r, mayReveal) }
}

func auditEntry(r *audit.Row, mayReveal bool) *model.AuditEntry {
	e := &model.AuditEntry{
		Sequence: r.Seq, At: r.At, Kind: model.AuditKind(r.Kind), Operation: r.Operation, Surface: model.AuditSurface(r.Surface),
		Initiator: r.Initiator, Subject: r.Subject, ClientID: r.ClientID, EntityType: r.EntityType, EntityKeys: r.EntityKeys,
		TraceID: textOrNil(r.TraceID),
	}
	for _, c := range r.Changes {
		change := &model.AuditChange{Field: c.Field}
		if mayReveal {
			change.Fingerprint = textOrNil(c.Fingerprint)
		}
		e.Changes = append(e.Changes, change)
	}
	return e
}

// textOrNil is null for an empty text.
func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
