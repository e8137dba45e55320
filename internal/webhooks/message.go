package webhooks

import (
	"context"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/events"
	"github.com/uplinehq/upline/internal/store"
)

// The states of a message.
const (
	pending   = "PENDING"
	delivered = "DELIVERED"
	givenUp   = "GIVEN_UP"
)

// message is an event on its way to a subscription.
type message struct {
	sequence int64
	attempts int
	// next is when it was to be attempted, as its row said when it was read.
	next  time.Time
	event *events.Stored
}

const messageColumns = "m.sequence, m.attempts, m.next_attempt_at, " + events.Columns

func scanMessage(row store.Scanner) (m *message, err error) {
	m = &message{}
	m.event, err = events.Scan(beginning{row, []any{&m.sequence, &m.attempts, &m.next}})
	return m, err
}

// beginning is a scanner whose rows begin with more columns than the caller's.
type beginning struct {
	store.Scanner
	first []any
}

func (b beginning) Scan(dest ...any) error {
	all := make([]any, 0, len(b.first)+len(dest))
	return b.Scanner.Scan(append(append(all, b.first...), dest...)...)
}

// due reads the next messages that are to be attempted now, the longest due
// first.
func due(ctx context.Context, q store.Querier, k key, now time.Time, most int) ([]*message, error) {
	return store.Collect(ctx, q, scanMessage, fmt.Sprintf("SELECT "+messageColumns+` FROM webhook_message m
		JOIN outbox_event e ON e.tenant_id = m.tenant_id AND e.id = m.event_id
		WHERE m.tenant_id = $1 AND m.subscription_id = $2 AND m.state = 'PENDING' AND m.next_attempt_at <= $3
		ORDER BY m.next_attempt_at, m.sequence LIMIT %d`, most), k.tenantID, k.subscriptionID, now)
}

// nextDue returns when the next message is due; nil when none is pending.
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
