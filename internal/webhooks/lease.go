package webhooks

import (
	"context"
	"errors"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
)

// key identifies a subscription.
type key struct{ tenantID, subscriptionID int64 }

// A process that delivers for a subscription holds its lease, in its row. So no two
// processes send the same message at once, and several processes share the subscriptions.
const (
	// leaseFor is how long the lease of a killed process keeps others away. The clocks of
	// servers must differ by less; otherwise events may be sent twice, but none is lost.
	leaseFor   = 6 * time.Second
	renewEvery = 2 * time.Second

	giveBackWithin = 2 * time.Second
	// clocksDiffer is how far in the future a lease can end if the clocks are right. A
	// lease that ends later was written by a wrong clock; it counts as ended, since it
	// would keep everybody away.
	clocksDiffer = leaseFor
)

// heldNow returns the limits between which a valid lease ends.
func heldNow(now time.Time) (from, to time.Time) { return now, now.Add(leaseFor + clocksDiffer) }

// errLost says that the lease belongs to another process, or that the
// subscription was deleted.
var errLost = errors.New("webhooks: the lease is lost")

// leases are those of this process. It is safe for concurrent use.
type leases struct {
	store *store.Store
	clock clock.Clock
	// holder is the name of this process in leases.
	holder string
	// turns limits the subscriptions that use the database at a time.
	turns chan struct{}
}

// take takes the lease or extends it; it returns false if another process has it.
func (s *leases) take(ctx context.Context, k key) (bool, error) {
	now, latest := heldNow(s.clock.Now())
	var n int64
	err := s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		n, err = tx.Exec(ctx, `UPDATE webhook_subscription SET holder = $1, held_until = $2
			WHERE tenant_id = $3 AND id = $4 AND is_active = $5 AND (holder IS NULL OR holder = $1 OR held_until NOT BETWEEN $6 AND $7)`,
			s.holder, now.Add(leaseFor), k.tenantID, k.subscriptionID, true, now, latest)
		return err
	})
	return n == 1, err
}

// release gives the lease back, unless new work has come since the drain last looked:
// whoever brought it may have left it to this process.
func (s *leases) release(ctx context.Context, k key, seen int64) (released bool, err error) {
	var n int64
	err = s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		n, err = tx.Exec(ctx, `UPDATE webhook_subscription SET holder = NULL, held_until = NULL
			WHERE tenant_id = $1 AND id = $2 AND holder = $3 AND wakes = $4`, k.tenantID, k.subscriptionID, s.holder, seen)
		return err
	})
	return n == 1, err
}

// renew extends the lease until ctx ends. It calls lost if the lease is gone, or could
// not be extended for as long as it lasts, since another process may have it then.
func (s *leases) renew(ctx context.Context, k key, lost func()) {
	until := s.clock.Now().Add(leaseFor)
	ticker := time.NewTicker(renewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := s.clock.Now()
		kept, err := s.extend(ctx, k)
		if err == nil && kept {
			until = now.Add(leaseFor)
		} else if err == nil || now.After(until) {
			lost()
			return
		}
	}
}

func (s *leases) extend(ctx context.Context, k key) (kept bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, renewEvery)
	defer cancel()
	var n int64
	err = s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		n, err = tx.Exec(ctx, "UPDATE webhook_subscription SET held_until = $1 WHERE tenant_id = $2 AND id = $3 AND holder = $4",
			s.clock.Now().Add(leaseFor), k.tenantID, k.subscriptionID, s.holder)
		return err
	})
	return n == 1, err
}

// giveBack gives the lease back after an unplanned end.
func (s *leases) giveBack(ctx context.Context, k key) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackWithin)
	defer cancel()
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE webhook_subscription SET holder = NULL, held_until = NULL WHERE tenant_id = $1 AND id = $2 AND holder = $3",
			k.tenantID, k.subscriptionID, s.holder)
		return err
	})
}

// atOnceInDatabase is smaller than the number of connections: otherwise a hundred
// subscriptions that are woken together would take them all, and requests would wait.
const atOnceInDatabase = 3

// databaseWithin limits the time of each use of the database: otherwise a database that
// stops answering without closing its connections would stop everything here.
const databaseWithin = 30 * time.Second

// inTurn runs f, which uses the database for one subscription, when few others do.
// Requests to endpoints do not count, and leases are extended independently.
func (s *leases) inTurn(ctx context.Context, f func(context.Context) error) error {
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
		ctx, cancel := context.WithTimeout(ctx, databaseWithin)
		defer cancel()
		return f(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// locked is the row of a subscription when results are recorded; everything in it may
// have changed since the attempts began.
type locked struct {
	isOrdered         bool
	deliveries, wakes int64
	modified          time.Time
	circuit           circuit
}

// lock locks the row of a subscription for which this process delivers, and counts
// deliveries in it. From then on neither the row nor its messages change.
func (s *leases) lock(ctx context.Context, tx *store.Tx, k key, deliveries int) (row locked, err error) {
	held, err := store.One(ctx, tx, []any{&row.isOrdered, &row.deliveries, &row.wakes, &row.modified, &row.circuit.failures, &row.circuit.probeAt},
		`UPDATE webhook_subscription SET deliveries = deliveries + $1 WHERE tenant_id = $2 AND id = $3 AND holder = $4
			RETURNING is_ordered, deliveries, wakes, last_modified, failures, probe_at`, deliveries, k.tenantID, k.subscriptionID, s.holder)
	if err == nil && !held {
		err = errLost
	}
	return row, err
}
