package webhooks

import (
	"context"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
)

// load reads the subscription as it is now.
func (d *drain) load(ctx context.Context) error {
	var (
		wakes   int64
		probeAt *time.Time
		holder  *string
	)
	found, err := store.Collect(ctx, d.Store, func(row store.Scanner) (*Subscription, error) {
		return scanSubscription(store.After(row, &wakes, &probeAt, &holder))
	}, "SELECT s.wakes, s.probe_at, s.holder, "+subscriptionColumns+" FROM webhook_subscription s WHERE s.tenant_id = $1 AND s.id = $2", d.tenantID, d.subscriptionID)
	if err != nil {
		return err
	}
	if len(found) == 0 || holder == nil || *holder != d.holder {
		return errLost
	}
	d.sub, d.wakes = found[0], wakes
	d.sub.circuit = circuit{d.sub.Failures, probeAt}
	if d.headers, err = d.openHeaders(ctx, d.tenantID, d.sub); err != nil {
		return fmt.Errorf("webhooks: headers: %w", err)
	}
	d.secrets, err = d.signingSecrets(ctx, d.tenantID, d.sub)
	return err
}

// lookAt checks whether the subscription has changed since it was read.
func (d *drain) lookAt(ctx context.Context) error {
	var wakes int64
	_, err := store.One(ctx, d.Store, []any{&wakes}, "SELECT wakes FROM webhook_subscription WHERE tenant_id = $1 AND id = $2", d.tenantID, d.subscriptionID)
	if err == nil {
		d.noticed(wakes)
	}
	return err
}

// noticed reads the counter in the row: if somebody has woken the subscription, it is
// read anew.
func (d *drain) noticed(wakes int64) {
	if d.isCurrent = wakes == d.wakes; !d.isCurrent {
		d.forget()
	}
}

// forget drops the messages that are ready: the subscription may be paused now, or have
// another URL, so it is read anew before anything is sent.
func (d *drain) forget() {
	d.ready, d.isCurrent, d.hasAll = nil, false, false
}
