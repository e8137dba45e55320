package audit

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/store"
)

// Deferred are entries that are put off to the end of their transaction.
type Deferred struct{ all []deferred }

type deferred struct {
	chain    *chain
	tenantID int64
	rows     []*Row
}

type deferredKey struct{}

// Defer returns a context in which Write puts the entries off, for a transaction of
// several writes, such as an import. Whoever gets the Deferred writes it last.
func Defer(ctx context.Context) (context.Context, *Deferred) {
	d := new(Deferred)
	return context.WithValue(ctx, deferredKey{}, d), d
}

// Write adds the entries that were put off to the end of the chain, which it locks until the
// transaction ends, so it must come last. They are so many that to write each twice, first
// without its place, would cost more than the tenant's others wait. What waits for its place
// gets it first: it was committed earlier, so the numbers of an object's entries are in the
// order of its changes.
func (d *Deferred) Write(ctx context.Context, tx *store.Tx) error {
	for _, e := range d.all {
		if err := e.chain.linkIn(ctx, tx, e.tenantID); err != nil {
			return err
		}
		head, err := lockHead(ctx, tx, e.tenantID)
		if err != nil {
			return err
		}
		if err := e.chain.append(ctx, tx, e.tenantID, head, e.rows); err != nil {
			return err
		}
		if err := count(ctx, tx, e.tenantID, e.rows); err != nil {
			return err
		}
	}
	d.Discard()
	return nil
}

// Changed returns the changes that were put off, each of one field of one object.
func (d *Deferred) Changed() (all []*Changed) {
	for _, e := range d.all {
		for _, row := range e.rows {
			for _, key := range row.EntityKeys {
				for _, change := range row.Changes {
					all = append(all, &Changed{Row: row, Key: key, Field: change.Field})
				}
			}
		}
	}
	return all
}

// Discard forgets what was put off: its transaction will not be kept.
func (d *Deferred) Discard() { d.all = nil }
