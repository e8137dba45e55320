package webhooks

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// TickArgs are the arguments of the job that looks for what is due.
type TickArgs struct{}

// Kind implements river.JobArgs.
func (TickArgs) Kind() string { return "webhooks_tick" }

// InsertOpts implements river.JobArgsWithInsertOpts. The next tick is the
// second attempt.
func (TickArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

type tickWorker struct {
	river.WorkerDefaults[TickArgs]
	service *Service
}

// Work implements river.Worker.
func (w *tickWorker) Work(ctx context.Context, _ *river.Job[TickArgs]) error {
	return w.service.Tick(ctx)
}

// AddWorkers adds the workers of the package's jobs.
func (s *Service) AddWorkers(workers *river.Workers) {
	river.AddWorker(workers, &tickWorker{service: s})
}

// Periodic returns the job that looks every minute, and at once when the
// process starts.
func Periodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(time.Minute),
		func() (river.JobArgs, *river.InsertOpts) { return TickArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})
}

// Tick fans out what waits, and wakes every subscription that has something due
// while nobody delivers for it: what a process left that was killed, or retries
// whose timers went with it.
func (s *Service) Tick(ctx context.Context) error {
	d := s.running.Load()
	if d == nil {
		return nil
	}
	system := tenant.System(ctx, "look for tenants and subscriptions with something to deliver")
	tenants, err := store.Collect(system, s.Store, store.ScanOne[int64], "SELECT DISTINCT tenant_id FROM webhook_subscription WHERE is_active = $1", true)
	for _, id := range tenants {
		d.tenants.wake(id)
	}
	now := s.Clock.Now()
	behind, dueErr := store.Collect(system, s.Store, func(row store.Scanner) (k key, err error) {
		err = row.Scan(&k.tenantID, &k.subscriptionID)
		return k, err
	}, `SELECT s.tenant_id, s.id FROM webhook_subscription s WHERE s.is_active = $1 AND (s.holder IS NULL OR s.held_until < $2) AND EXISTS (
		SELECT 1 FROM webhook_message m WHERE m.tenant_id = s.tenant_id AND m.subscription_id = s.id AND m.state = 'PENDING' AND m.next_attempt_at <= $2)`, true, now)
	for _, k := range behind {
		d.drains.wake(k)
	}
	return errors.Join(err, dueErr)
}

func (s *Service) hasActive(ctx context.Context, tenantID int64) (bool, error) {
	var one int
	return store.One(ctx, s.Store, []any{&one}, "SELECT 1 FROM webhook_subscription WHERE tenant_id = $1 AND is_active = $2 LIMIT 1", tenantID, true)
}
