package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/platform/audit"
)

// headsArgs are the arguments of the job that notes the heads of the tenants'
// audit trails in the platform's.
type headsArgs struct{}

// Kind implements river.JobArgs.
func (headsArgs) Kind() string { return "audit_heads" }

// InsertOpts implements river.JobArgsWithInsertOpts. The next run is the second
// attempt.
func (headsArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

type headsWorker struct {
	river.WorkerDefaults[headsArgs]
	trail *audit.Trail
}

// Work implements river.Worker.
func (w *headsWorker) Work(ctx context.Context, _ *river.Job[headsArgs]) error {
	return w.trail.NoteHeads(ctx)
}

func headsPeriodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(time.Hour),
		func() (river.JobArgs, *river.InsertOpts) { return headsArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})
}
