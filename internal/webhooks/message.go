package webhooks

import (
	"context"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/platform/store"
)

// State is the state of an event for a subscription.
type State string

// The states of a message.
const (
	pending   = "PENDING"
	delivered = "DELIVERED"
	givenUp   = "GIVEN_UP"
)

// States are all states of a message.
var States = enum.Of[State](pending, delivered, givenUp)

// message is an event on its way to a subscription.
type message struct {
	sequence int64
	attempts int
	// next is when it was to be attempted, by its row when it was read; wakes is the
	// subscription's counter shortly before.
	next  time.Time
	wakes int64
	event *content
}

// due reads the messages to be attempted now, the longest due first.
func (d *drain) due(ctx context.Context, most int) ([]*message, error) {
	var ids []string
	found, err := store.Collect(ctx, d.Store, func(row store.Scanner) (*message, error) {
		m, id := &message{wakes: d.wakes}, ""
		err := row.Scan(&m.sequence, &m.attempts, &m.next, &id)
		ids = append(ids, id)
		return m, err
	}, fmt.Sprintf(`SELECT m.sequence, m.attempts, m.next_attempt_at, m.event_id FROM webhook_message m
		WHERE m.tenant_id = $1 AND m.subscription_id = $2 AND m.state = 'PENDING' AND m.next_attempt_at <= $3
		ORDER BY m.next_attempt_at, m.sequence LIMIT %d`, most), d.tenantID, d.subscriptionID, d.Clock.Now())
	if err != nil {
		return nil, err
	}
	contents, err := d.contents.of(ctx, d.Store, d.tenant, ids)
	if err != nil {
		return nil, err
	}
	for i, m := range found {
		m.event = contents[i]
	}
	return found, nil
}

// nextDue returns when the next message is due; nil if none is pending.
func nextDue(ctx context.Context, q store.Querier, k key) (*time.Time, error) {
	var at time.Time
	found, err := store.One(ctx, q, []any{&at}, `SELECT m.next_attempt_at FROM webhook_message m
		WHERE m.tenant_id = $1 AND m.subscription_id = $2 AND m.state = 'PENDING' AND m.next_attempt_at IS NOT NULL
		ORDER BY m.next_attempt_at LIMIT 1`, k.tenantID, k.subscriptionID)
	if err != nil || !found {
		return nil, err
	}
	return &at, nil
}
