package hierarchy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// RebuildArgs are the arguments of the job that rebuilds a team.
type RebuildArgs struct {
	TenantID int64 `json:"tenant"`
	TeamID   int64 `json:"team"`
}

// Kind implements river.JobArgs.
func (RebuildArgs) Kind() string { return "hierarchy_rebuild" }

// InsertOpts implements river.JobArgsWithInsertOpts. A job that failed so often
// is given up; the tick asks for another.
func (RebuildArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 3} }

// FindTenant returns the tenant of an id.
type FindTenant func(ctx context.Context, id int64) (*tenant.Tenant, error)

type rebuildWorker struct {
	river.WorkerDefaults[RebuildArgs]
	service *Service
	find    FindTenant
}

// Timeout implements river.Worker: a team of a million agents takes about a
// minute.
func (w *rebuildWorker) Timeout(*river.Job[RebuildArgs]) time.Duration { return 10 * time.Minute }

// Work implements river.Worker.
func (w *rebuildWorker) Work(ctx context.Context, job *river.Job[RebuildArgs]) error {
	t, err := w.find(ctx, job.Args.TenantID)
	if err != nil {
		return err
	}
	_, err = w.service.Rebuild(tenant.With(ctx, t), job.Args.TeamID)
	return err
}

// TickArgs are the arguments of the job that looks for teams to rebuild.
type TickArgs struct{}

// Kind implements river.JobArgs.
func (TickArgs) Kind() string { return "hierarchy_tick" }

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

// tickEvery is the time between ticks, and how long a team is left to the job
// that it has before it is given another.
const tickEvery = time.Minute

// AddWorkers adds the workers of the package's jobs.
func (s *Service) AddWorkers(workers *river.Workers, find FindTenant) {
	river.AddWorker(workers, &rebuildWorker{service: s, find: find})
	river.AddWorker(workers, &tickWorker{service: s})
}

// Periodic returns the job that looks every minute, and at once when the
// process starts.
func Periodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(tickEvery),
		func() (river.JobArgs, *river.InsertOpts) { return TickArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})
}

// Tick asks for a rebuild of every team whose day has passed, and of those with
// a change that no job came for within a minute: a job that was lost, or whose
// process was killed, costs time and nothing else.
func (s *Service) Tick(ctx context.Context) error {
	ctx = tenant.System(ctx, "look for teams whose flattened hierarchy is behind")
	teams, err := store.Collect(ctx, s.store, scanTeam, `
		SELECT b.tenant_id, b.team_id, t.time_zone, b.changed_version > b.built_version, b.built_for, b.queued_at, b.started_at
		FROM hierarchy_build b JOIN tenant t ON t.id = b.tenant_id`)
	if err != nil {
		return err
	}
	now := s.clock.Now()
	for _, t := range teams {
		behind, zoneErr := t.isBehind(now)
		err = errors.Join(err, zoneErr)
		if behind {
			err = errors.Join(err, s.wake(ctx, t, now))
		}
	}
	return err
}

// team is what a tick sees of a team.
type team struct {
	RebuildArgs
	zone      string
	changed   bool
	builtFor  *date.Date
	queuedAt  time.Time
	startedAt *time.Time
}

func scanTeam(row store.Scanner) (t team, err error) {
	err = row.Scan(&t.TenantID, &t.TeamID, &t.zone, &t.changed, &t.builtFor, &t.queuedAt, &t.startedAt)
	return t, err
}

func (t team) isBehind(now time.Time) (bool, error) {
	last := t.queuedAt
	if t.startedAt != nil && t.startedAt.After(last) {
		last = *t.startedAt
	}
	if now.Before(last.Add(tickEvery)) {
		return false, nil
	}
	if t.changed || t.builtFor == nil {
		return true, nil
	}
	zone, err := time.LoadLocation(t.zone)
	if err != nil {
		return false, fmt.Errorf("tenant %d: %w", t.TenantID, err)
	}
	return *t.builtFor != date.In(now, zone), nil
}

// wake inserts a job unless another tick just did.
func (s *Service) wake(ctx context.Context, t team, now time.Time) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err := tx.Exec(ctx, "UPDATE hierarchy_build SET status = 'QUEUED', queued_at = $1 WHERE tenant_id = $2 AND team_id = $3 AND queued_at = $4",
			now, t.TenantID, t.TeamID, t.queuedAt)
		if err != nil || n == 0 {
			return err
		}
		return tx.Enqueue(ctx, t.RebuildArgs)
	})
}
