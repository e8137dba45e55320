package convert

import (
	"context"
	"strings"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/sensitive"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/past"
)

// ChangeFilter turns a filter of changes into that of the trail.
func ChangeFilter(f *model.ChangeFilter) audit.Filter {
	if f == nil {
		return audit.Filter{}
	}
	of := audit.Filter{EntityType: Value(f.EntityType), EntityKey: Value(f.EntityKey), Field: Value(f.Field), By: Value(f.By), TraceID: Value(f.TraceID), From: Value(f.From), Through: Value(f.Through)}
	if entry := Value(f.Sequence); entry != nil {
		of.WritesOf = []int64{*entry}
	}
	return of
}

// Change shows a change; effect reads what it did.
func Change(c *audit.Changed, effect func(ctx context.Context) (past.Effect, error)) *model.Change {
	return &model.Change{
		Sequence: c.Seq, At: c.At, Operation: c.Operation, Surface: model.AuditSurface(c.Surface), Initiator: c.Initiator, Subject: c.Subject, ClientID: c.ClientID,
		Reason: textOrNil(c.Reason), EntityType: c.EntityType, EntityKey: c.Key, Field: c.Field, TraceID: c.TraceID,
		ValuesOf: func(ctx context.Context, reveal bool) ([]*model.ChangedValue, error) {
			e, err := effect(ctx)
			return ChangedValues(ctx, c.EntityType, c.Key, e.Differences, reveal), err
		},
		UndoableOf: func(ctx context.Context) (*model.Undoable, error) {
			e, err := effect(ctx)
			if err != nil || e.WhyNot == nil {
				return &model.Undoable{IsPossible: err == nil}, err
			}
			return &model.Undoable{WhyNot: &e.WhyNot.Message}, nil
		},
	}
}

// ChangeUndone shows what became of a field, with masks.
func ChangeUndone(ctx context.Context, o past.Outcome) *model.ChangeUndone {
	return &model.ChangeUndone{EntityType: o.Entity, EntityKey: o.Key, Field: o.Path, Values: ChangedValues(ctx, o.Entity, o.Key, o.Differences, false)}
}

// ChangedValues shows what became of a value, with masks unless it is revealed.
func ChangedValues(ctx context.Context, entity, key string, all []past.Difference, reveal bool) []*model.ChangedValue {
	values := make([]*model.ChangedValue, len(all))
	for i, d := range all {
		values[i] = &model.ChangedValue{EffectiveFrom: d.From, EffectiveThrough: d.Through, Old: shown(ctx, entity, key, d.Old, reveal), New: shown(ctx, entity, key, d.New, reveal)}
	}
	return values
}

// shown returns values as a caller may see them, as one text; nil for none.
func shown(ctx context.Context, entity, key string, all []past.Value, reveal bool) *string {
	if len(all) == 0 {
		return nil
	}
	texts := make([]string, len(all))
	for i, v := range all {
		switch texts[i] = v.Text; {
		case v.IsUnreadable:
			texts[i] = sensitive.Hidden
		case v.Sealed != "":
			texts[i] = sensitive.Sealed(entity, v.Field, v.Sealed).Shown(ctx, key, v.Text, reveal)
		}
	}
	return new(strings.Join(texts, ", "))
}
