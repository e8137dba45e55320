package webhooks

import (
	"context"
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
