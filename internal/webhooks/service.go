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
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
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
	*leases
	*signals
	*fanning
	*registry
	*deliveries
	client   *client
	contents contents
}

// New returns the service. It delivers nothing until Start.
func New(c Config) *Service {
	if c.Around == nil {
		c.Around = func(ctx context.Context, send func(context.Context)) { send(ctx) }
	}
	tells := new(signals)
	fans := &fanning{signals: tells, store: c.Store, clock: c.Clock, feed: c.Feed, writer: change.New(c.Store, c.Clock, c.Vault)}
	kept := &registry{fanning: fans, store: c.Store, clock: c.Clock, vault: c.Vault, development: c.Development}
	s := &Service{
		Config: c, leases: &leases{store: c.Store, clock: c.Clock, holder: uuid.NewString(), turns: make(chan struct{}, atOnceInDatabase)}, signals: tells, fanning: fans,
		registry: kept, deliveries: newDeliveries(c.Store, c.Log, kept), client: newClient(c.Development, c.Clock), contents: newContents(),
	}
	tells.passed = func(point string) {
		if s.Passed != nil {
			s.Passed(point)
		}
	}
	c.Store.Listen(events.Committed, func(tenantID int64) {
		if d := tells.running.Load(); d != nil {
			d.tenants.wake(tenantID)
		}
	})
	return s
}
