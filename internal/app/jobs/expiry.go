package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/identity/tenants"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// expiryArgs are the arguments of the job that tells of certifications that end
// soon.
type expiryArgs struct{}

// Kind implements river.JobArgs.
func (expiryArgs) Kind() string { return "certification_expiry" }

// InsertOpts implements river.JobArgsWithInsertOpts. The next run is the second
// attempt.
func (expiryArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

type expiryWorker struct {
	river.WorkerDefaults[expiryArgs]
	agency  *agency.Service
	tenants *tenants.Directory
}

// Timeout implements river.Worker: what does not fit is told by the next run.
func (w *expiryWorker) Timeout(*river.Job[expiryArgs]) time.Duration { return 30 * time.Minute }

// Work implements river.Worker. A tenant that fails does not keep the others
// waiting.
func (w *expiryWorker) Work(ctx context.Context, _ *river.Job[expiryArgs]) error {
	all, err := w.tenants.List(ctx)
	for _, t := range all {
		if tellErr := w.agency.TellExpiring(tenant.With(ctx, t)); tellErr != nil {
			err = errors.Join(err, fmt.Errorf("tenant %s: %w", t.Identifier, tellErr))
		}
	}
	return err
}

// expiryPeriodic runs every hour: a day begins at another one in each time zone.
func expiryPeriodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(time.Hour),
		func() (river.JobArgs, *river.InsertOpts) { return expiryArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})
}
