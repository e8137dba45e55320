package events

import (
	"context"
	"errors"
	"fmt"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// numberedAtOnce limits the events that get positions in one transaction.
const numberedAtOnce = 500

// Number gives a position to every committed event of the context's tenant that has none.
// It is called before each read, and from time to time.
func (f *Feed) Number(ctx context.Context) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	ctx = tenant.Whole(ctx, "every event gets its position, whoever reads first")
	for {
		var waiting int
		found, err := store.One(ctx, f.store, []any{&waiting}, "SELECT 1 FROM outbox_event WHERE tenant_id = $1 AND position IS NULL LIMIT 1", tenantID)
		if err != nil || !found {
			return err
		}
		err = f.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := number(ctx, tx, tenantID)
			return err
		})
		if err != nil {
			return fmt.Errorf("number events: %w", err)
		}
	}
}

// NumberIn is Number inside a transaction. Until that ends, no other event of the tenant
// gets a position. So what the transaction does takes effect at one position of the feed:
// after all events that have a position now, and before all that get one later.
func (f *Feed) NumberIn(ctx context.Context, tx *store.Tx) error {
	tenantID, err := tenant.ID(ctx)
	for n := int64(numberedAtOnce); err == nil && n == numberedAtOnce; {
		n, err = number(ctx, tx, tenantID)
	}
	return err
}

// number gives positions under the lock of the tenant's row, which a transaction holds
// until its positions are visible; so they appear in order, without a gap. An event whose
// transaction ends later gets a later position. It returns how many it gave.
func number(ctx context.Context, tx *store.Tx, tenantID int64) (n int64, err error) {
	if _, err := tx.Exec(ctx, "INSERT INTO outbox_feed (tenant_id, position) VALUES ($1, 0) ON CONFLICT DO NOTHING", tenantID); err != nil {
		return 0, err
	}
	var last int64
	if _, err := store.One(ctx, tx, []any{&last}, "SELECT position FROM outbox_feed WHERE tenant_id = $1"+tx.ForUpdate(), tenantID); err != nil {
		return 0, err
	}
	n, err = tx.Exec(ctx, fmt.Sprintf(`
		UPDATE outbox_event SET position = $1 + n.place
		FROM (SELECT %[1]s AS row, row_number() OVER (ORDER BY written) AS place FROM outbox_event
			WHERE tenant_id = $2 AND position IS NULL ORDER BY written LIMIT %[2]d) n
		WHERE outbox_event.tenant_id = $2 AND outbox_event.%[1]s = n.row`, tx.RowPlace(), numberedAtOnce), last, tenantID)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, "UPDATE outbox_feed SET position = $1 WHERE tenant_id = $2", last+n, tenantID)
	return n, err
}

type atOnceKey struct{}

// NumberedAtOnce returns a context whose events are stored together with their positions:
// for a transaction that stores many events and soon ends. (Otherwise each event is
// written twice.) Until it ends, no other event of the tenant gets a position.
func NumberedAtOnce(ctx context.Context) context.Context {
	return context.WithValue(ctx, atOnceKey{}, true)
}

// nextPosition takes positions for the events that a transaction is about to store, and
// returns the first. It returns 0 if they get their positions later, because that was not
// asked for, or because too many earlier events still wait for theirs.
func nextPosition(ctx context.Context, tx *store.Tx, tenantID int64, events int) (next int64, err error) {
	if atOnce, _ := ctx.Value(atOnceKey{}).(bool); !atOnce {
		return 0, nil
	}
	waited, err := number(ctx, tx, tenantID)
	if err != nil || waited == numberedAtOnce {
		return 0, err
	}
	_, err = store.One(ctx, tx, []any{&next}, "UPDATE outbox_feed SET position = position + $1 WHERE tenant_id = $2 RETURNING position - $1 + 1", events, tenantID)
	return next, err
}

// Head gives the positions that are due and returns the last one. What is read after it
// includes the changes of all events up to there.
func (f *Feed) Head(ctx context.Context) (position int64, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	if err := f.Number(ctx); err != nil {
		return 0, err
	}
	_, err = store.One(ctx, f.store, []any{&position}, "SELECT position FROM outbox_feed WHERE tenant_id = $1", tenantID)
	return position, err
}

// FindTenant returns the tenant of an id.
type FindTenant func(ctx context.Context, id int64) (*tenant.Tenant, error)

// portionsAtOnce limits the transactions of one NumberAll to what a job has time for.
var portionsAtOnce = 100

// NumberAll numbers the events of every tenant, so that a feed that nobody has read for
// long does not have to catch up when somebody does. It goes round the tenants, a portion
// of each at a time, up to a number of portions. It reports whether there is more to do.
func (f *Feed) NumberAll(ctx context.Context, find FindTenant) (more bool, err error) {
	ctx = tenant.System(ctx, "look for tenants with events that have no position")
	ids, err := store.Collect(ctx, f.store, store.ScanOne[int64], "SELECT DISTINCT tenant_id FROM outbox_event WHERE position IS NULL")
	for portions := 0; len(ids) > 0 && ctx.Err() == nil; {
		var left []int64
		for _, id := range ids {
			if portions++; portions > portionsAtOnce {
				return true, err
			}
			n, failed := f.numberOf(ctx, find, id)
			err = errors.Join(err, failed)
			if n == numberedAtOnce {
				left = append(left, id)
			}
		}
		ids = left
	}
	return false, errors.Join(err, ctx.Err())
}

// numberOf numbers a portion of a tenant's events and returns how many there were.
func (f *Feed) numberOf(ctx context.Context, find FindTenant, id int64) (n int64, err error) {
	t, err := find(ctx, id)
	if err != nil {
		return 0, err
	}
	err = f.store.InTx(tenant.With(ctx, t), func(ctx context.Context, tx *store.Tx) error {
		n, err = number(ctx, tx, id)
		return err
	})
	return n, err
}
