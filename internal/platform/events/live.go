package events

import (
	"context"
	"log/slog"

	"github.com/uplinehq/upline/internal/platform/tail"
	"github.com/uplinehq/upline/internal/tenant"
)

// readAtOnce limits the events that are read at a time.
const readAtOnce = 200

// Live sends events to subscribers as they are committed, in the order of the feed, by
// whichever process; at once if this process commits them.
type Live = tail.Hub[*Stored, int64]

// NewLive returns the live side of a feed.
func NewLive(f *Feed, log *slog.Logger) *Live {
	hub := tail.New(tail.Source[*Stored, int64]{
		Name: "events", Head: f.Head, Next: f.next, IsBehind: func(e *Stored, position int64) bool { return e.Position > position },
	}, log)
	f.store.Listen(Committed, hub.Wake)
	return hub
}

// next reads the events after a position.
func (f *Feed) next(ctx context.Context, from int64) (rows []*Stored, to int64, more bool, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, 0, false, err
	}
	if err := f.Number(ctx); err != nil {
		return nil, 0, false, err
	}
	if rows, err = f.after(ctx, tenantID, from, readAtOnce); err != nil || len(rows) == 0 {
		return nil, from, false, err
	}
	return rows, rows[len(rows)-1].Position, len(rows) == readAtOnce, nil
}
