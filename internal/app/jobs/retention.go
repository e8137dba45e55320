package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/identity/tenants"
	"github.com/uplinehq/upline/internal/webhooks"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// retentionArgs are the arguments of the job that deletes old deliveries and
// events.
type retentionArgs struct{}

// Kind implements river.JobArgs.
func (retentionArgs) Kind() string { return "events_retention" }

// InsertOpts implements river.JobArgsWithInsertOpts. The next run is the second
// attempt.
func (retentionArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

type retentionWorker struct {
	river.WorkerDefaults[retentionArgs]
	webhooks *webhooks.Service
	tenants  *tenants.Directory
}

// Timeout implements river.Worker: what does not fit is deleted by the next run.
func (w *retentionWorker) Timeout(*river.Job[retentionArgs]) time.Duration { return 30 * time.Minute }

// Work implements river.Worker. A tenant that fails does not keep the others
// waiting.
func (w *retentionWorker) Work(ctx context.Context, _ *river.Job[retentionArgs]) error {
	all, err := w.tenants.List(ctx)
	for _, t := range all {
		if deleteErr := w.webhooks.DeleteOld(tenant.With(ctx, t)); deleteErr != nil {
			err = errors.Join(err, fmt.Errorf("tenant %s: %w", t.Identifier, deleteErr))
		}
	}
	return err
}

func retentionPeriodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(time.Hour),
		func() (river.JobArgs, *river.InsertOpts) { return retentionArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})
}
