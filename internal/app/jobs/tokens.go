package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/words/clock"
)

// tokenArgs are the arguments of the job that looks after tokens: it forgets
// revocations of tokens that have expired, and rotates the signing keys, also
// those that nobody asks to sign.
type tokenArgs struct{}

// Kind implements river.JobArgs.
func (tokenArgs) Kind() string { return "oauth_tokens" }

// InsertOpts implements river.JobArgsWithInsertOpts. The next run is the second
// attempt.
func (tokenArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

type tokenWorker struct {
	river.WorkerDefaults[tokenArgs]
	credentials *oauth.EntStore
	keys        *oauth.KeyRing
	clock       clock.Clock
}

// Work implements river.Worker.
func (w *tokenWorker) Work(ctx context.Context, _ *river.Job[tokenArgs]) error {
	return errors.Join(w.credentials.SweepRevoked(ctx, w.clock.Now()), w.keys.Complete(ctx))
}

func tokenPeriodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(time.Hour),
		func() (river.JobArgs, *river.InsertOpts) { return tokenArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})
}
