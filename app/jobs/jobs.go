// Package jobs holds the work that a server does every minute or hour, whether or not
// anybody asks: it announces, tidies up and records. Work that belongs to one engine or
// area (hierarchies, exports, deliveries) is theirs; app starts and ends all of
// it.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/webhooks"
)

// Services are what the jobs call.
type Services struct {
	Clock       clock.Clock
	Tenants     *directory.Directory
	Agency      *agency.Service
	Authorized  *authorization.Teller
	Audit       *audit.Trail
	Events      *events.Feed
	Webhooks    *webhooks.Service
	Identity    *identity.Service
	Exports     *export.Service
	Answers     *idempotency.Service
	Credentials *oauth.Tables
	Keys        *keyring.Ring
}

// AddWorkers adds the workers of the jobs, and returns the jobs with their schedules.
func AddWorkers(workers *river.Workers, s Services) []*river.PeriodicJob {
	return []*river.PeriodicJob{
		add[number](workers, time.Minute, 0, s.number),
		add[authorizations](workers, time.Minute, longest, s.everyTenant(s.Authorized.Tell)),
		add[expiry](workers, time.Hour, longest, s.everyTenant(s.Agency.TellExpiring)),
		add[keys](workers, time.Hour, longest, s.everyTenant(s.Agency.FillKeys)),
		add[values](workers, time.Hour, longest, s.everyTenant(s.Audit.ForgetOld)),
		add[retention](workers, time.Hour, longest, s.everyTenant(s.Webhooks.DeleteOld)),
		add[sweep](workers, time.Hour, 0, s.sweep),
		add[heads](workers, time.Hour, 0, s.Audit.NoteHeads),
		add[tokens](workers, time.Hour, 0, s.tokens),
	}
}

// longest bounds a run that has much to do; the next run does what is left.
const longest = 30 * time.Minute

// once are the options of every job. A failed job is not tried again: the next run
// replaces it.
type once struct{}

// InsertOpts implements river.JobArgsWithInsertOpts.
func (once) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

// worker runs the jobs with arguments J.
type worker[J river.JobArgs] struct {
	river.WorkerDefaults[J]
	within time.Duration
	work   func(context.Context) error
}

// Timeout implements river.Worker; 0 means the usual one.
func (w *worker[J]) Timeout(*river.Job[J]) time.Duration { return w.within }

// Work implements river.Worker.
func (w *worker[J]) Work(ctx context.Context, _ *river.Job[J]) error { return w.work(ctx) }

func add[J river.JobArgs](workers *river.Workers, every, within time.Duration, work func(context.Context) error) *river.PeriodicJob {
	river.AddWorker(workers, &worker[J]{within: within, work: work})
	return river.NewPeriodicJob(river.PeriodicInterval(every), func() (river.JobArgs, *river.InsertOpts) {
		var args J
		return args, nil
	}, &river.PeriodicJobOpts{RunOnStart: true})
}

// everyTenant runs do for each tenant. One that fails does not keep the others from their
// turn.
func (s Services) everyTenant(do func(context.Context) error, besides ...*tenant.Tenant) func(context.Context) error {
	return func(ctx context.Context) error {
		all, err := s.Tenants.List(ctx)
		for _, t := range append(all, besides...) {
			if failed := do(tenant.With(ctx, t)); failed != nil {
				err = errors.Join(err, fmt.Errorf("tenant %s: %w", t.Identifier, failed))
			}
		}
		return err
	}
}
