package audit

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

const (
	// revealBatch bounds the entries of one transaction.
	revealBatch = 200
	// revealWithin bounds the time of one transaction, which belongs to several requests:
	// the deadline of none of them applies.
	revealWithin = 10 * time.Second
)

// errInside refuses an entry of a reveal inside a transaction.
var errInside = errors.New("audit: a reveal is not recorded inside a transaction")

// revelation is an entry that waits to be written.
type revelation struct {
	row  *Row
	done chan error // has room for the outcome, so nobody has to be listening
}

// revealing writes the entries of what is shown. It is safe for concurrent use.
type revealing struct {
	*chain
	clock clock.Clock

	mu      sync.Mutex
	waiting map[int64][]*revelation // by tenant; see Reveal
}

// Reveal writes the entry of a read of the context's tenant that shows sensitive
// values. It returns once the entry is committed, so that nothing is shown that
// was not recorded; after an error the caller must not answer with the values.
// When ctx ends first, Reveal returns its error, and the entry may yet be
// written. Inside a transaction, which the entry would wait for or vanish with, it is
// refused: whoever reads there notes what it shows for the request around it.
//
// Entries that come while others are being written are written together, in one
// transaction: many revealing reads at once cost hardly more commits than one.
func (t *revealing) Reveal(ctx context.Context, e Entry) error {
	tenantID, err := tenant.ID(ctx)
	if err == nil && store.IsInside(ctx) {
		err = errInside
	}
	if err != nil {
		return err
	}
	// Keys are made and read before the transaction, not inside it.
	if err := t.vault.Prepare(ctx, tenantID); err != nil {
		return err
	}
	r := &revelation{newRow(ctx, Reveal, t.clock.Now(), e), make(chan error, 1)}
	t.mu.Lock()
	others, writing := t.waiting[tenantID]
	t.waiting[tenantID] = append(others, r)
	t.mu.Unlock()
	if !writing {
		alone := store.Outside(context.WithoutCancel(ctx))
		go t.writeWaiting(tenant.Whole(alone, "adds to the trail, of several callers"), tenantID)
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeWaiting writes the waiting entries of a tenant until there are none. The tenant is
// in waiting exactly while this runs.
func (t *revealing) writeWaiting(ctx context.Context, tenantID int64) {
	for batch := t.next(tenantID, 0); len(batch) > 0; batch = t.next(tenantID, len(batch)) {
		err := t.writeBatch(ctx, tenantID, batch)
		for _, r := range batch {
			r.done <- err
		}
	}
}

// next removes the entries that were written from waiting and returns those to write
// next.
func (t *revealing) next(tenantID int64, written int) []*revelation {
	t.mu.Lock()
	defer t.mu.Unlock()
	left := t.waiting[tenantID][written:]
	if len(left) == 0 {
		delete(t.waiting, tenantID)
		return nil
	}
	t.waiting[tenantID] = left
	n := min(len(left), revealBatch)
	return left[:n:n]
}

func (t *revealing) writeBatch(ctx context.Context, tenantID int64, batch []*revelation) error {
	ctx, cancel := context.WithTimeout(ctx, revealWithin)
	defer cancel()
	rows := make([]*Row, len(batch))
	for i, r := range batch {
		rows[i] = r.row
	}
	return t.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error { return t.add(ctx, tx, tenantID, rows) })
}
