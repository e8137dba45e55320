package convert

import (
	"context"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/platform/audit"
)

// ChangeFilter turns a filter of changes into that of the trail.
func ChangeFilter(f *model.ChangeFilter) audit.Filter {
	if f == nil {
		return audit.Filter{}
	}
	return audit.Filter{EntityType: Value(f.EntityType), EntityKey: Value(f.EntityKey), Field: Value(f.Field), By: Value(f.By), From: Value(f.From), Through: Value(f.Through)}
}

// Change shows a change; tell reads its values.
func Change(c *audit.Changed, tell func(ctx context.Context, reveal bool) ([]*model.ChangedValue, error)) *model.Change {
	return &model.Change{
		Sequence: c.Seq, At: c.At, Operation: c.Operation, Surface: model.AuditSurface(c.Surface), Initiator: c.Initiator, Subject: c.Subject, ClientID: c.ClientID,
		Reason: textOrNil(c.Reason), EntityType: c.EntityType, EntityKey: c.Key, Field: c.Field, Tell: tell, TraceID: c.TraceID,
	}
}
