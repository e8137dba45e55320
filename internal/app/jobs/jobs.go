// Package jobs holds the hourly and minutely work of a server: what is told, tidied up
// and noted whether or not anybody asks. What an engine or an area works off by itself
// (hierarchies, exports, deliveries) is its own; starting and ending all of it is
// internal/app's.
package jobs

import (
	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/tenants"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/webhooks"
	"github.com/uplinehq/upline/internal/words/clock"
)

// Services are what the jobs call.
type Services struct {
	Clock       clock.Clock
	Tenants     *tenants.Directory
	Agency      *agency.Service
	Audit       *audit.Trail
	Events      *events.Feed
	Webhooks    *webhooks.Service
	Identity    *identity.Service
	Exports     *export.Service
	Answers     *idempotency.Service
	Credentials *oauth.EntStore
	Keys        *oauth.KeyRing
}

// AddWorkers adds the workers of the jobs, and returns when each of them is due.
func AddWorkers(workers *river.Workers, s Services) []*river.PeriodicJob {
	river.AddWorker(workers, &numberWorker{feed: s.Events, find: s.Tenants.ByID})
	river.AddWorker(workers, &expiryWorker{agency: s.Agency, tenants: s.Tenants})
	river.AddWorker(workers, &retentionWorker{webhooks: s.Webhooks, tenants: s.Tenants})
	river.AddWorker(workers, &sweepWorker{answers: s.Answers, identity: s.Identity, exports: s.Exports, tenants: s.Tenants})
	river.AddWorker(workers, &headsWorker{trail: s.Audit})
	river.AddWorker(workers, &tokenWorker{credentials: s.Credentials, keys: s.Keys, clock: s.Clock})
	return []*river.PeriodicJob{numberPeriodic(), expiryPeriodic(), retentionPeriodic(), sweepPeriodic(), headsPeriodic(), tokenPeriodic()}
}
