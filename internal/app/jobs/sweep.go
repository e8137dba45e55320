package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/tenants"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// sweepArgs are the arguments of the job that deletes answers, sessions, grants,
// files of exports and attempts to sign in whose time is over.
// A new answer sweeps too; the job serves tenants that make no more requests.
type sweepArgs struct{}

// Kind implements river.JobArgs.
func (sweepArgs) Kind() string { return "idempotency_sweep" }

// InsertOpts implements river.JobArgsWithInsertOpts. The next run is the second
// attempt.
func (sweepArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

type sweepWorker struct {
	river.WorkerDefaults[sweepArgs]
	answers  *idempotency.Service
	identity *identity.Service
	exports  *export.Service
	tenants  *tenants.Directory
}

// Work implements river.Worker. A tenant that fails does not keep the others
// waiting.
func (w *sweepWorker) Work(ctx context.Context, _ *river.Job[sweepArgs]) error {
	all, err := w.tenants.List(ctx)
	err = errors.Join(err, w.identity.SweepAttempts(ctx))
	for _, t := range append(all, tenant.Platform) {
		ctx := tenant.With(ctx, t)
		if sweepErr := errors.Join(w.answers.Sweep(ctx), w.identity.SweepSessions(ctx), w.exports.Sweep(ctx)); sweepErr != nil {
			err = errors.Join(err, fmt.Errorf("tenant %s: %w", t.Identifier, sweepErr))
		}
	}
	return err
}

func sweepPeriodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(time.Hour),
		func() (river.JobArgs, *river.InsertOpts) { return sweepArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})
}
