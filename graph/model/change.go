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
	// Tell reads the values, masked or in full, together with those of the page.
	Tell func(ctx context.Context, reveal bool) ([]*ChangedValue, error)
	// TraceID is of the request.
	TraceID string
}

// Values is the field values.
func (c *Change) Values(ctx context.Context, reveal bool) ([]*ChangedValue, error) {
	return c.Tell(ctx, reveal)
}

// ChangedValue is what a change did to a value.
type ChangedValue struct {
	EffectiveFrom, EffectiveThrough *date.Date
	// Old and New are nil for none.
	Old, New *string
}
