package webhooks

import (
	"sync/atomic"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/problem"
)

// signals tells this process of work. It is safe for concurrent use.
type signals struct {
	// running is nil before Start and after Stop.
	running atomic.Pointer[dispatcher]
	// passed reports that a point was reached at which a crash would do harm.
	passed func(point string)
}

// wake makes this process look at a subscription. Its wakes must have grown in a
// committed transaction, so that another process which is delivering for it sees the new
// work, too.
func (s *signals) wake(tenantID, subscriptionID int64) {
	if d := s.running.Load(); d != nil {
		d.drains.wake(key{tenantID, subscriptionID})
	}
}

// changed notes the subscription that a write changes, and the changed fields. Values are
// never kept: a URL may hold a token.
func changed(w *change.Writing, uid string, fields ...string) {
	w.Changed("WebhookSubscription", uid, fields...)
}

func unknownSubscription(field ...string) error {
	return problem.Missing(problem.NotFoundCode, "There is no such webhook subscription", field...)
}

func unknownDelivery(field ...string) error {
	return problem.Missing(problem.NotFoundCode, "There is no such webhook delivery", field...)
}
