package webhooks

import (
	"context"
	"errors"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// lookEvery is how often a process looks for work that nobody does: the work of a killed
// process, and events committed where nothing delivers.
const lookEvery = 2 * time.Second

// straightenEvery is how many looks there are between two calls of Straighten.
const straightenEvery = int(time.Minute / lookEvery)

// look calls wakeBehind at once and then from time to time.
func (d *dispatcher) look() {
	defer close(d.looked)
	for n := 0; ; n++ {
		if n%straightenEvery == 0 {
			if err := d.Straighten(d.ctx); err != nil {
				d.failed("look for times that cannot be", err)
			}
		}
		if err := d.wakeBehind(d.ctx); err != nil {
			d.failed("look for what is due", err)
		}
		if !d.wait(lookEvery) {
			return
		}
	}
}

// wakeBehind fans out the waiting events, and wakes every subscription that has something
// due and for which nobody delivers.
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
	now, latest := heldNow(d.Clock.Now())
	behind, dueErr := store.Collect(ctx, d.Store, scanKey, `SELECT s.tenant_id, s.id FROM webhook_subscription s
		WHERE s.is_active = $1 AND (s.holder IS NULL OR s.held_until NOT BETWEEN $2 AND $3) AND (s.probe_at IS NULL OR s.probe_at NOT BETWEEN $2 AND $4) AND EXISTS (
			SELECT 1 FROM webhook_message m WHERE m.tenant_id = s.tenant_id AND m.subscription_id = s.id AND m.state = 'PENDING' AND m.next_attempt_at <= $2)`,
		true, now, latest, now.Add(mostRetryAfter))
	for _, k := range behind {
		d.drains.wake(k)
	}
	return errors.Join(err, dueErr)
}

// Straighten makes messages due that a process with a wrong clock has put off: a message
// without an attempt is due from its beginning, and none may wait longer than the longest
// pause.
func (s *Service) Straighten(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, databaseWithin)
	defer cancel()
	ctx = tenant.System(ctx, "look for messages that wait for longer than any pause")
	now := s.Clock.Now()
	const late = "m.state = 'PENDING' AND (m.next_attempt_at > $1 AND m.attempts = 0 OR m.next_attempt_at > $2)"
	soon, latest := now.Add(clocksDiffer), now.Add(longestPause)
	all, err := store.Collect(ctx, s.Store, scanKey, "SELECT DISTINCT m.tenant_id, m.subscription_id FROM webhook_message m WHERE "+late, soon, latest)
	for _, k := range all {
		err = errors.Join(err, s.Store.InTx(tenant.With(ctx, &tenant.Tenant{ID: k.tenantID}), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE webhook_message AS m SET next_attempt_at = $3 WHERE m.tenant_id = $4 AND m.subscription_id = $5 AND "+late,
				soon, latest, now, k.tenantID, k.subscriptionID)
			return err
		}))
	}
	return err
}

func scanKey(row store.Scanner) (k key, err error) {
	err = row.Scan(&k.tenantID, &k.subscriptionID)
	return k, err
}
