// Package webhooks delivers events over HTTP to the subscriptions of a tenant.
//
// Rows are the work list. An event of the outbox becomes one message for each
// subscription that wants it, numbered without a gap; a message stays pending until it is
// delivered or given up. Signals and timers only make a process look at the rows, and
// each process also looks every other second, so nothing depends on them. A message is
// attempted again unless an attempt was recorded, so each is delivered at least once.
package webhooks

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/tail"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Config are the settings of a Service.
type Config struct {
	Store *store.Store
	Clock clock.Clock
	Vault *vault.Vault
	Feed  *events.Feed
	// Find returns the tenant with an id.
	Find events.FindTenant
	Log  *slog.Logger
	// Development lets subscriptions use http and private addresses.
	Development bool
	// ApplySubscriptionRetryPolicy makes maxRetries and retryDelayMinutes take effect.
	// They are "stored on the subscription but not yet applied" (Events, 3), so it is off
	// unless the operator says otherwise.
	ApplySubscriptionRetryPolicy bool
	// Retention is how long deliveries and events are kept; 0 for ever.
	Retention time.Duration
	// Around is called for each attempt and calls send.
	Around func(ctx context.Context, send func(context.Context))
	// Attempted is called with the outcome and the duration of each attempt. It may be
	// nil.
	Attempted func(outcome Outcome, took time.Duration)
	// Passed is called at the points where a crash would do most harm, and where tests
	// kill the process, and for looks at what others changed. It may be nil.
	Passed func(point string)
}

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	Config
	client *client
	writer *change.Writer
	// holder is the name of this process in leases.
	holder    string
	followers *tail.Hub[*Delivery, places]
	// turns limits the subscriptions that use the database at a time.
	turns    chan struct{}
	contents contents
	// running is nil before Start and after Stop.
	running atomic.Pointer[dispatcher]
}

// New returns the service. It delivers nothing until Start.
func New(c Config) *Service {
	if c.Around == nil {
		c.Around = func(ctx context.Context, send func(context.Context)) { send(ctx) }
	}
	s := &Service{Config: c, client: newClient(c.Development, c.Clock), writer: change.New(c.Store, c.Clock, c.Vault), holder: uuid.NewString(), contents: newContents()}
	s.followers, s.turns = s.newFollowers(), make(chan struct{}, atOnceInDatabase)
	c.Store.Listen(events.Committed, func(tenantID int64) {
		if d := s.running.Load(); d != nil {
			d.tenants.wake(tenantID)
		}
	})
	return s
}

// write runs f in a transaction. The initiator is the token's subject.
func (s *Service) write(ctx context.Context, f func(ctx context.Context, w *change.Writing) error) error {
	caller, _ := tenant.CallerFrom(ctx)
	return s.writer.Write(ctx, caller.Subject, f)
}

// changed notes the subscription that a write changes, and the changed fields. Values are
// never kept: a URL may hold a token.
func changed(w *change.Writing, uid string, fields ...string) {
	w.Changed("WebhookSubscription", uid, fields...)
}

// wake makes this process look at a subscription. Its wakes must have grown in a
// committed transaction, so that another process which is delivering for it sees the new
// work, too.
func (s *Service) wake(tenantID, subscriptionID int64) {
	if d := s.running.Load(); d != nil {
		d.drains.wake(key{tenantID, subscriptionID})
	}
}

// passed reports that a point was reached at which a crash would do harm.
func (s *Service) passed(point string) {
	if s.Passed != nil {
		s.Passed(point)
	}
}

func unknownSubscription(field ...string) error {
	return problem.Missing(problem.NotFoundCode, "There is no such webhook subscription", field...)
}

func unknownDelivery(field ...string) error {
	return problem.Missing(problem.NotFoundCode, "There is no such webhook delivery", field...)
}
