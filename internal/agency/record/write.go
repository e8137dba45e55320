// Package record is how what belongs to an agent is written. A write has an initiator,
// runs in one transaction that first locks the agent it is about, notes what it changes,
// tells of that by events and an audit entry, and is refused as a whole when anything in
// it is wrong. What the writes of all rooms have in common is here: checks of fields,
// dated histories, sealed values, and which reference data a record may name. What is
// written each room says.
package record

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Writer begins the writes of the area.
type Writer struct{ changes *change.Writer }

// NewWriter returns the writer of a store.
func NewWriter(s *store.Store, c clock.Clock, v *vault.Vault) *Writer {
	return &Writer{change.New(s, c, v)}
}

// Write runs f in a transaction, or rehearses it, and tells of what f noted.
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
		return w.Tell(ctx, c)
	})
}

// Begin begins a write in a transaction of the caller's; finish ends it.
func (wr *Writer) Begin(ctx context.Context, tx *store.Tx, initiator string) (*Writing, error) {
	c, err := wr.changes.Begin(ctx, tx, initiator)
	return &Writing{Writing: c}, err
}

// Writing is a change under way.
type Writing struct {
	*change.Writing
	notes notes
	// AgentID is the agent that the write is about; 0 for none, and where it is
	// about several. AgentCode is its code, as far as its row is locked.
	AgentID   int64
	AgentCode string
}

// Part returns a writing for a part of the write that is told of on its own.
func (w *Writing) Part() *Writing { return &Writing{Writing: w.Beside()} }

// Finish ends a write that began with Begin.
func (w *Writing) Finish(ctx context.Context) error {
	if err := w.Tell(ctx, w.Writing); err != nil {
		return err
	}
	return w.Conclude(ctx)
}

// Tell adds the events and the audit entries of what is noted to a change.
func (w *Writing) Tell(ctx context.Context, in *change.Writing) error {
	entries, err := w.entries(ctx)
	in.Raise(w.events(audit.OriginFrom(ctx).Operation)...)
	in.Record(entries...)
	return err
}
