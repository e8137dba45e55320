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

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
)

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
