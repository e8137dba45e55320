package events

import (
	"context"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// forgottenAtOnce limits the events of one step.
const forgottenAtOnce = 500

// Forget makes the feed of the context's tenant begin with its first event that did not
// occur before an instant. It returns the last position that is no longer shown; the
// events up to it may be deleted.
func (f *Feed) Forget(ctx context.Context, before time.Time) (through int64, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	if _, err := store.One(ctx, f.store, []any{&through}, "SELECT forgotten FROM outbox_feed WHERE tenant_id = $1", tenantID); err != nil {
		return 0, err
	}
	for {
		rows, err := f.after(ctx, tenantID, through, forgottenAtOnce)
		if err != nil {
			return 0, err
		}
		old := 0
		for old < len(rows) && rows[old].OccurredAt.Before(before) {
			old++
		}
		if old == 0 {
			return through, nil
		}
		through = rows[old-1].Position
		err = f.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE outbox_feed SET forgotten = $1 WHERE tenant_id = $2 AND forgotten < $1", through, tenantID)
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("forget events: %w", err)
		}
	}
}

// checkRemembered refuses a position before the beginning of the feed: a reader that
// continued from there would miss events without knowing. It is called after the page was
// read, since events may be forgotten meanwhile.
func (f *Feed) checkRemembered(ctx context.Context, tenantID int64, after []any) error {
	if after == nil {
		return nil
	}
	var forgotten int64
	if _, err := store.One(ctx, f.store, []any{&forgotten}, "SELECT forgotten FROM outbox_feed WHERE tenant_id = $1", tenantID); err != nil {
		return err
	}
	if position, ok := after[0].(int64); ok && position < forgotten {
		return problem.Invalid(problem.CursorExpired, "The events after this cursor are kept no longer. Start without one, and read anew what the events would have told", "after")
	}
	return nil
}
