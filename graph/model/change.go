package model

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/date"
)

// Change is a field of an object that a write changed.
type Change struct {
	Sequence                                                   int64
	At                                                         time.Time
	Operation                                                  string
	Surface                                                    AuditSurface
	Initiator, Subject, ClientID, EntityType, EntityKey, Field string
	// Reason is nil for none.
	Reason *string
	// ValuesOf reads the values, masked or in full, and UndoableOf whether they can be taken
	// back, together with those of the page.
	ValuesOf   func(ctx context.Context, reveal bool) ([]*ChangedValue, error)
	UndoableOf func(ctx context.Context) (*Undoable, error)
	// TraceID is of the request.
	TraceID string
}

// Values is the field values.
func (c *Change) Values(ctx context.Context, reveal bool) ([]*ChangedValue, error) {
	return c.ValuesOf(ctx, reveal)
}

// Undoable is the field undoable.
func (c *Change) Undoable(ctx context.Context) (*Undoable, error) { return c.UndoableOf(ctx) }

// ChangedValue is what a change did to a value.
type ChangedValue struct {
	EffectiveFrom, EffectiveThrough *date.Date
	// Old and New are nil for none.
	Old, New *string
}
