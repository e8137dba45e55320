// Package webhooks delivers events over HTTP to the subscriptions of a tenant.
//
// The rows are the truth: an event of the outbox becomes one message for each
// subscription that wants it, numbered without a gap, and a message is
// delivered or given up before it leaves the list of pending ones. Signals
// and timers only make somebody look at the rows, and whoever looks every other
// second sees what they missed. A message is attempted
// again unless an attempt was recorded, so each is delivered at least once.
package webhooks

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/audit"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/events"
	"github.com/uplinehq/upline/internal/idempotency"
	"github.com/uplinehq/upline/internal/live"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/vault"
)

// Config sets up a Service.
type Config struct {
	Store *store.Store
	Clock clock.Clock
	Vault *vault.Vault
	Feed  *events.Feed
	// Find returns the tenant of an id.
	Find events.FindTenant
	Log  *slog.Logger
	// Development lets subscriptions use http and private addresses.
	Development bool
	// ApplySubscriptionRetryPolicy makes maxRetries and retryDelayMinutes
	// apply. They are "stored on the subscription but not yet applied" (Events,
	// 3), so it is off unless the operator says otherwise.
	ApplySubscriptionRetryPolicy bool
	// Retention is how long deliveries and events are kept; 0 for ever.
	Retention time.Duration
	// Attempted is told of each attempt: how it came out, and how long it took.
	// It may be nil.
	Attempted func(outcome Outcome, took time.Duration)
	// Passed is told of the points where a crash would hurt most; tests kill the
	// process there. It may be nil.
	Passed func(point string)
}

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	Config
	client *client
	trail  *audit.Trail
	// holder names this process in leases.
	holder    string
	followers *live.Hub[*Delivery, places]
	// running is nil until Start and after Stop.
	running atomic.Pointer[dispatcher]
}

// New returns the service. It delivers nothing until Start.
func New(c Config) *Service {
	s := &Service{Config: c, client: newClient(c.Development, c.Clock), trail: audit.New(c.Store, c.Clock, c.Vault), holder: uuid.NewString()}
	s.followers = s.newFollowers()
	c.Store.Listen(events.Committed, func(tenantID int64) {
		if d := s.running.Load(); d != nil {
			d.tenants.wake(tenantID)
		}
	})
	return s
}

// writing is a change under way: its transaction and its stamp.
type writing struct {
	*store.Tx
	tenantID  int64
	now       time.Time
	initiator string
	// subscription is the one that changes, and changes the fields of it.
	subscription string
	changes      []audit.Change
}

// write runs f in a transaction. The initiator is the token's subject.
func (s *Service) write(ctx context.Context, f func(ctx context.Context, w *writing) error) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	// Keys are made in a transaction of their own, which must not wait for
	// this one.
	if err := s.Vault.Prepare(ctx, tenantID); err != nil {
		return err
	}
	caller, _ := tenant.CallerFrom(ctx)
	return s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := idempotency.Record(ctx, tx); err != nil {
			return err
		}
		w := &writing{Tx: tx, tenantID: tenantID, now: s.Clock.Now(), initiator: caller.Subject}
		if err := f(ctx, w); err != nil || w.subscription == "" {
			return err
		}
		return s.trail.Write(ctx, tx, w.now, audit.Entry{
			EntityType: "WebhookSubscription", EntityKeys: []string{w.subscription}, Changes: w.changes, Initiator: w.initiator})
	})
}

// changed notes the subscription that a write is about, and the fields that
// change, for the audit trail. Values are never kept: a URL may hold a token.
func (w *writing) changed(uid string, fields ...string) {
	w.subscription = uid
	for _, f := range fields {
		w.changes = append(w.changes, audit.Change{Field: f})
	}
}

// wake has a subscription looked at by this process. Its wakes must have grown
// in a transaction that is committed, so that another process which delivers
// for it at the moment sees the new work, too.
func (s *Service) wake(tenantID, subscriptionID int64) {
	if d := s.running.Load(); d != nil {
		d.drains.wake(key{tenantID, subscriptionID})
	}
}

// passed says that a point is reached where a crash would hurt.
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
