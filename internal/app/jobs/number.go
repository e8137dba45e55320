package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/platform/events"
)

// numberArgs are the arguments of the job that gives events their place in the
// feed. Every reader does so too; the job keeps a feed that nobody reads from
// falling behind.
type numberArgs struct{}

// Kind implements river.JobArgs.
func (numberArgs) Kind() string { return "events_number" }

// InsertOpts implements river.JobArgsWithInsertOpts. The next run is the second
// attempt.
func (numberArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

type numberWorker struct {
	river.WorkerDefaults[numberArgs]
	feed *events.Feed
	find events.FindTenant
}

// Work implements river.Worker. What it has no time for the same job goes on with.
func (w *numberWorker) Work(ctx context.Context, _ *river.Job[numberArgs]) error {
	more, err := w.feed.NumberAll(ctx, w.find)
	if more && err == nil {
		return river.JobSnooze(0)
	}
	return err
}

func numberPeriodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(time.Minute),
		func() (river.JobArgs, *river.InsertOpts) { return numberArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})
}
