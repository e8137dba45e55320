package webhooks

import (
	"context"
	"errors"
	"time"

	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// lookEvery is how often a process looks for what nobody has in hand: what a
// process left that was killed, and what was committed where nothing delivers.
const lookEvery = 2 * time.Second

// look looks at once and then from time to time.
func (d *dispatcher) look() {
	defer close(d.looked)
	for {
		if err := d.wakeBehind(d.ctx); err != nil {
			d.failed("look for what is due", err)
		}
		if !d.wait(lookEvery) {
			return
		}
	}
}

// wakeBehind fans out what waits, and wakes every subscription that has
// something due while nobody delivers for it.
func (d *dispatcher) wakeBehind(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, databaseWithin)
	defer cancel()
	ctx = tenant.System(ctx, "look for tenants and subscriptions with something to deliver")
	tenants, err := store.Collect(ctx, d.Store, store.ScanOne[int64], `SELECT a.tenant_id
		FROM (SELECT DISTINCT tenant_id FROM webhook_subscription WHERE is_active = $1) a
		WHERE EXISTS (SELECT 1 FROM outbox_event e WHERE e.tenant_id = a.tenant_id AND e.position IS NULL)
			OR EXISTS (SELECT 1 FROM outbox_feed f LEFT JOIN webhook_fanout w ON w.tenant_id = f.tenant_id
				WHERE f.tenant_id = a.tenant_id AND f.position > coalesce(w.position, 0))`, true)
	for _, id := range tenants {
		d.tenants.wake(id)
	}
	behind, dueErr := store.Collect(ctx, d.Store, scanKey, `SELECT s.tenant_id, s.id FROM webhook_subscription s
		WHERE s.is_active = $1 AND (s.holder IS NULL OR s.held_until < $2) AND (s.probe_at IS NULL OR s.probe_at <= $2) AND EXISTS (
			SELECT 1 FROM webhook_message m WHERE m.tenant_id = s.tenant_id AND m.subscription_id = s.id AND m.state = 'PENDING' AND m.next_attempt_at <= $2)`,
		true, d.Clock.Now())
	for _, k := range behind {
		d.drains.wake(k)
	}
	return errors.Join(err, dueErr)
}

func scanKey(row store.Scanner) (k key, err error) {
	err = row.Scan(&k.tenantID, &k.subscriptionID)
	return k, err
}
