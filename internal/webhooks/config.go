package webhooks

import (
	"context"
	"log/slog"
	"time"

	"github.com/uplinehq/upline/internal/clock"
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
