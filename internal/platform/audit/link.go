package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

const (
	// linkedAtOnce limits the entries of one transaction of Link.
	linkedAtOnce = 500
	// linkWithin limits LinkAll, so that a database that stops answering does not end all
	// rounds.
	linkWithin = 30 * time.Second
)

// LinkAll is Link for every tenant with entries that wait. Each process calls it every
// second. A tenant that fails does not keep the others from their turn.
func (t *chain) LinkAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(tenant.System(ctx, "look for tenants with entries that wait for their places"), linkWithin)
	defer cancel()
	ids, err := store.Collect(ctx, t.store, store.ScanOne[int64], "SELECT DISTINCT tenant_id FROM audit_unlinked")
	for _, id := range ids {
		err = errors.Join(err, t.Link(tenant.With(ctx, &tenant.Tenant{ID: id})))
	}
	return err
}

// Link gives every committed entry of the context's tenant its number and its place in the
// chain. Whoever reads the trail calls it first; LinkAll does every second. An entry that
// was tampered with stays where it is, and Verify tells of it. It must not be called inside
// a transaction.
func (t *chain) Link(ctx context.Context) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	ctx = tenant.Whole(ctx, "every entry gets its place in the chain, whoever reads first")
	for last := int64(0); ; {
		var waiting int
		found, err := store.One(ctx, t.store, []any{&waiting}, "SELECT 1 FROM audit_unlinked WHERE tenant_id = $1 AND written > $2 LIMIT 1", tenantID, last)
		if err != nil || !found {
			return wrapped(err)
		}
		if err := t.vault.Prepare(ctx, tenantID); err != nil {
			return err
		}
		after := last
		if err := t.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			last, err = t.linkSome(ctx, tx, tenantID, after)
			return err
		}); err != nil {
			return fmt.Errorf("audit: link entries: %w", err)
		}
	}
}

// linkIn is Link inside a transaction, which keeps the head of the chain locked.
func (t *chain) linkIn(ctx context.Context, tx *store.Tx, tenantID int64) (err error) {
	for last, after := int64(0), int64(-1); err == nil && last != after; {
		after = last
		last, err = t.linkSome(ctx, tx, tenantID, after)
	}
	return err
}

// linkSome links the first entries that wait after one. It returns the last one that it
// looked at.
func (t *chain) linkSome(ctx context.Context, tx *store.Tx, tenantID, after int64) (last int64, err error) {
	head, err := lockHead(ctx, tx, tenantID)
	if err != nil {
		return after, err
	}
	waiting, err := collectUnlinked(ctx, tx, tenantID, after)
	if err != nil || len(waiting) == 0 {
		return after, err
	}
	var (
		rows   []*Row
		linked []int64
	)
	for _, u := range waiting {
		r, err := t.row(ctx, tenantID, u)
		if err != nil {
			return after, err
		}
		if r != nil {
			rows, linked = append(rows, r), append(linked, u.written)
		}
	}
	if err := t.append(ctx, tx, tenantID, head, rows); err != nil {
		return after, err
	}
	_, err = tx.Exec(ctx, "DELETE FROM audit_unlinked WHERE tenant_id = $1 AND "+tx.In("written", "$2"), tenantID, tx.List(linked))
	return waiting[len(waiting)-1].written, err
}
