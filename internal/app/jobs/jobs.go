// Package jobs holds the hourly and minutely work of a server: what is told, tidied up
// and noted whether or not anybody asks. What an engine or an area works off by itself
// (hierarchies, exports, deliveries) is its own; starting and ending all of it is
// internal/app's.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/webhooks"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Services are what the jobs call.
type Services struct {
	Clock       clock.Clock
	Tenants     *directory.Directory
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
	return []*river.PeriodicJob{
		add[number](workers, time.Minute, 0, s.number),
		add[expiry](workers, time.Hour, longest, s.everyTenant(s.Agency.TellExpiring)),
		add[retention](workers, time.Hour, longest, s.everyTenant(s.Webhooks.DeleteOld)),
		add[sweep](workers, time.Hour, 0, s.sweep),
		add[heads](workers, time.Hour, 0, s.Audit.NoteHeads),
		add[tokens](workers, time.Hour, 0, s.tokens),
	}
}

// longest bounds a run that goes over much; what does not fit is done by the next run.
const longest = 30 * time.Minute

// once are the options of every job: its next run is the second attempt.
type once struct{}

// InsertOpts implements river.JobArgsWithInsertOpts.
func (once) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

// worker runs the job whose arguments are J.
type worker[J river.JobArgs] struct {
	river.WorkerDefaults[J]
	within time.Duration
	work   func(context.Context) error
}

// Timeout implements river.Worker; 0 is the usual one.
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

// everyTenant does something for each tenant. One that fails does not keep the others
// waiting.
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
