package agency

import (
	"context"
	"time"

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

// Write runs f in a transaction, or rehearses it.
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
		return w.tell(ctx)
	})
}

// WriteIn begins a write in the transaction of another area, at the time of its change.
// Conclude ends it.
func (wr *Writer) WriteIn(ctx context.Context, tx *store.Tx, initiator string, now time.Time) (*writing, error) {
	frame, err := wr.changes.Begin(ctx, tx, initiator)
	if err != nil {
		return nil, err
	}
	frame.StampAt(now)
	return &writing{Writing: frame}, nil
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

// conclude ends a write in the transaction of another area.
func (w *writing) conclude(ctx context.Context) error {
	if err := w.tell(ctx); err != nil {
		return err
	}
	return w.Conclude(ctx)
}

// about says which agent a write is about that found or made it without lockAgent.
func (w *writing) about(id int64, code string) { w.agentID, w.agentCode = id, code }

// tell adds the events and the audit entries of what is noted to the change.
func (w *writing) tell(ctx context.Context) error {
	entries, err := w.entries(ctx)
	w.Raise(w.events(audit.OriginFrom(ctx).Operation)...)
	w.Record(entries...)
	return err
}
