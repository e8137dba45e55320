package webhooks

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Backlog says how far the deliveries of all tenants are behind.
type Backlog struct {
	// Pending counts the messages that are neither delivered nor given up.
	Pending int
	// Overdue is how long the longest overdue message has been due, without those for
	// endpoints that keep failing; 0 if none is.
	Overdue time.Duration
	// Failing counts the active subscriptions whose endpoint keeps failing.
	Failing int
}

// Backlog reads the backlog.
func (s *Service) Backlog(ctx context.Context) (b Backlog, err error) {
	ctx, now := tenant.System(ctx, "count what is to be delivered"), s.Clock.Now()
	if _, err := store.One(ctx, s.Store, []any{&b.Pending, &b.Failing}, `SELECT (SELECT count(*) FROM webhook_message WHERE state = 'PENDING'),
		(SELECT count(*) FROM webhook_subscription WHERE is_active = $1 AND failures >= $2)`, true, circuitFailures); err != nil {
		return b, err
	}
	var due time.Time
	found, err := store.One(ctx, s.Store, []any{&due}, `SELECT m.next_attempt_at FROM webhook_subscription s
		JOIN webhook_message m ON m.tenant_id = s.tenant_id AND m.subscription_id = s.id AND m.state = 'PENDING'
		WHERE s.is_active = $1 AND s.failures < $2 AND m.next_attempt_at < $3 ORDER BY m.next_attempt_at LIMIT 1`, true, circuitFailures, now)
	if found {
		b.Overdue = now.Sub(due)
	}
	return b, err
}
