// Package record owns how the data of an agent is written. A write has an initiator and
// runs in one transaction. It first locks the agent that it is about, notes what it
// changes, reports that in events and an audit entry, and is refused as a whole if
// anything in it is wrong. The package has what the writes of all rooms share: checks of
// fields, dated histories, sealed values, and the reference data that a record may name.
// Each room says what it writes.
package record

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Writer begins the writes of the area.
type Writer struct {
	changes *change.Writer
	clock   clock.Clock
}

// NewWriter returns the writer of a store.
func NewWriter(s *store.Store, c clock.Clock, v *vault.Vault) *Writer {
	return &Writer{change.New(s, c, v), c}
}

// Today returns today's date in the zone of the context's tenant; without a tenant, which
// no write accepts, that of UTC.
func (wr *Writer) Today(ctx context.Context) date.Date {
	zone := time.UTC
	if t := tenant.From(ctx); t != nil {
		zone = t.Zone
	}
	return clock.Today(wr.clock, zone)
}

// Write runs f in a transaction, or rehearses it, and reports what f noted.
func (wr *Writer) Write(ctx context.Context, initiator string, dryRun bool, f func(ctx context.Context, w *Writing) error) error {
	run := wr.changes.Write
	if dryRun {
		run = wr.changes.Rehearse
	}
	ctx = tenant.Whole(ctx, "what is unique, and what is written beside the change, is not limited; LockAgent and LockHolder are")
	return run(ctx, initiator, func(ctx context.Context, c *change.Writing) error {
		w := &Writing{Writing: c}
		if err := f(ctx, w); err != nil || w.Rehearsed {
			return err
		}
		if w.AgentID != 0 {
			if err := idempotency.About(ctx, w.Tx, w.AgentID); err != nil {
				return err
			}
		}
		return w.AddNotesTo(ctx, c)
	})
}

// Begin begins a write in the caller's transaction; Finish ends it.
func (wr *Writer) Begin(ctx context.Context, tx *store.Tx, initiator string) (*Writing, error) {
	c, err := wr.changes.Begin(ctx, tx, initiator)
	return &Writing{Writing: c}, err
}

// Writing is a write while it is under way.
type Writing struct {
	*change.Writing
	notes notes
	// AgentID is the agent that the write is about; 0 if there is none, or more than one.
	// AgentCode is its code, if its row is locked.
	AgentID   int64
	AgentCode string
}

// Part returns a writing for a part of the write that has events and an audit entry of
// its own.
func (w *Writing) Part() *Writing { return &Writing{Writing: w.Writing.Part()} }

// Finish ends a write that began with Begin.
func (w *Writing) Finish(ctx context.Context) error {
	if err := w.AddNotesTo(ctx, w.Writing); err != nil {
		return err
	}
	return w.Conclude(ctx)
}

// AddNotesTo adds the events and the audit entries of what was noted to a change.
func (w *Writing) AddNotesTo(ctx context.Context, in *change.Writing) error {
	entries, err := w.entries(ctx)
	in.Raise(w.events(audit.OriginFrom(ctx).Operation)...)
	in.Record(entries...)
	return err
}
