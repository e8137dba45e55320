package audit

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/store"
)

// Deferred are entries that are put off to the end of their transaction.
type Deferred struct{ all []deferred }

type deferred struct {
	trail    *Trail
	tenantID int64
	rows     []*Row
}

type deferredKey struct{}

// Defer returns a context in which Write puts the entries off, for a transaction of
// several writes. Otherwise the first entry would keep every other writer of the tenant
// waiting, while the transaction goes on to lock what one of those has locked. Whoever
// gets the Deferred writes it last.
func Defer(ctx context.Context) (context.Context, *Deferred) {
	d := new(Deferred)
	return context.WithValue(ctx, deferredKey{}, d), d
}

// Write writes the entries that were put off. It locks as Trail.Write does, so it must
// come last.
func (d *Deferred) Write(ctx context.Context, tx *store.Tx) error {
	for _, e := range d.all {
		if err := e.trail.append(ctx, tx, e.tenantID, e.rows); err != nil {
			return err
		}
	}
	d.Discard()
	return nil
}

// Discard forgets what was put off: its transaction will not be kept.
func (d *Deferred) Discard() { d.all = nil }
