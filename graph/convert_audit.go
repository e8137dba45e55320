package graph

import (
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/audit"
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

func auditEntryView(r *audit.Row) *model.AuditEntry {
	e := &model.AuditEntry{
		Sequence: r.Seq, At: r.At, Kind: model.AuditKind(r.Kind), Operation: r.Operation, Surface: model.AuditSurface(r.Surface),
		Initiator: r.Initiator, Subject: r.Subject, ClientID: r.ClientID, EntityType: r.EntityType, EntityKeys: r.EntityKeys,
		TraceID: textOrNil(r.TraceID),
	}
	for _, c := range r.Changes {
		e.Changes = append(e.Changes, &model.AuditChange{Field: c.Field, Fingerprint: textOrNil(c.Fingerprint)})
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
