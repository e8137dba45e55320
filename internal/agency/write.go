package agency

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
func (wr *Writer) Write(ctx context.Context, initiator string, dryRun bool, f func(ctx context.Context, w *writing) error) error {
	run := wr.changes.Write
	if dryRun {
		run = wr.changes.Rehearse
	}
	ctx = tenant.Whole(ctx, "what is unique, and what is written beside the change, is not limited; lockAgent and lockHolder are")
	return run(ctx, initiator, func(ctx context.Context, c *change.Writing) error {
		w := &writing{Writing: c}
		if err := f(ctx, w); err != nil || w.Rehearsed {
			return err
		}
		if w.agentID != 0 {
			if err := idempotency.About(ctx, w.Tx, w.agentID); err != nil {
				return err
			}
		}
		return w.tell(ctx, c)
	})
}

// Begin begins a write in a transaction of the caller's; finish ends it.
func (wr *Writer) Begin(ctx context.Context, tx *store.Tx, initiator string) (*writing, error) {
	c, err := wr.changes.Begin(ctx, tx, initiator)
	return &writing{Writing: c}, err
}

// writing is a change under way.
type writing struct {
	*change.Writing
	notes notes
	// agentID is the agent that the write is about; 0 for none, and where it is
	// about several. agentCode is its code, as far as its row is locked.
	agentID   int64
	agentCode string
}

// part returns a writing for a part of the write that is told of on its own.
func (w *writing) part() *writing { return &writing{Writing: w.Beside()} }

// finish ends a write that began with Begin.
func (w *writing) finish(ctx context.Context) error {
	if err := w.tell(ctx, w.Writing); err != nil {
		return err
	}
	return w.Conclude(ctx)
}

// tell adds the events and the audit entries of what is noted to a change.
func (w *writing) tell(ctx context.Context, in *change.Writing) error {
	entries, err := w.entries(ctx)
	in.Raise(w.events(audit.OriginFrom(ctx).Operation)...)
	in.Record(entries...)
	return err
}
