package hierarchy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// RebuildArgs are the arguments of the job that rebuilds a team.
type RebuildArgs struct {
	TenantID int64 `json:"tenant"`
	TeamID   int64 `json:"team"`
}

// Kind implements river.JobArgs.
func (RebuildArgs) Kind() string { return "hierarchy_rebuild" }

// InsertOpts implements river.JobArgsWithInsertOpts. A job that has failed that often is
// given up; the tick asks for another.
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
	_, err = w.service.rebuild(tenant.With(ctx, t), job.Args.TeamID)
	if errors.Is(err, errUnderWay) {
		return river.JobSnooze(retryEvery)
	}
	return err
}

const (
	// lostAfter is how long a change waits for its job before it gets another one. A job
	// takes only a moment, or it holds the lock of its rebuild.
	lostAfter = 4 * time.Second
	// againAfter is the time from a rebuild that failed, or that is due because of a new
	// day, until the next one is asked for.
	againAfter = time.Minute
	// tickWithin limits a tick, so that a database that stops answering does not end all
	// ticks.
	tickWithin = 30 * time.Second
)

// AddWorkers adds the workers of the package's jobs.
func (s *Service) AddWorkers(workers *river.Workers, find FindTenant) {
	river.AddWorker(workers, &rebuildWorker{service: s, find: find})
}

// Tick asks for a rebuild of every team whose day has passed, and of every team with a
// change that no job came for. So a job that was lost, or whose process was killed, costs
// seconds and nothing else.
func (s *Service) Tick(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(tenant.System(ctx, "look for teams whose flattened hierarchy is behind"), tickWithin)
	defer cancel()
	teams, err := store.Collect(ctx, s.store, scanTeam, `
		SELECT b.tenant_id, b.team_id, t.time_zone, b.changed_version > b.built_version, b.built_version, b.status, b.built_for, b.queued_at, b.started_at
		FROM hierarchy_build b JOIN tenant t ON t.id = b.tenant_id`)
	if err != nil {
		return err
	}
	now, days := s.clock.Now(), map[string]date.Date{}
	for _, t := range teams {
		if _, known := days[t.zone]; !known {
			zone, zoneErr := time.LoadLocation(t.zone)
			if zoneErr != nil {
				err = errors.Join(err, fmt.Errorf("tenant %d: %w", t.TenantID, zoneErr))
				continue
			}
			days[t.zone] = date.In(now, zone)
		}
		if t.isBehind(now, days[t.zone]) {
			err = errors.Join(err, s.wake(ctx, t, now))
		}
	}
	return err
}

// team is what a tick knows of a team.
type team struct {
	RebuildArgs
	zone      string
	changed   bool
	built     int64 // the version
	status    Status
	builtFor  *date.Date
	queuedAt  time.Time
	startedAt *time.Time
}

func scanTeam(row store.Scanner) (t team, err error) {
	err = row.Scan(&t.TenantID, &t.TeamID, &t.zone, &t.changed, &t.built, &t.status, &t.builtFor, &t.queuedAt, &t.startedAt)
	return t, err
}

func (t team) isBehind(now time.Time, today date.Date) bool {
	if t.changed || t.builtFor == nil {
		return t.isLeft(now, t.patience())
	}
	return *t.builtFor != today && t.isLeft(now, againAfter)
}

// patience is how long a change waits for the job that was asked for.
func (t team) patience() time.Duration {
	if t.status == Failed && t.startedAt != nil && !t.startedAt.Before(t.queuedAt) {
		return againAfter
	}
	return lostAfter
}

// isLeft reports whether nobody has asked for a rebuild, or begun one, for a while. A
// time that is far in the future comes from a wrong clock, and does not count.
func (t team) isLeft(now time.Time, patience time.Duration) bool {
	lately := func(at time.Time) bool { return now.Sub(at).Abs() < patience }
	return !lately(t.queuedAt) && (t.startedAt == nil || !lately(*t.startedAt))
}

// wake inserts a job, unless another process has just done so or a rebuild is under way.
func (s *Service) wake(ctx context.Context, t team, now time.Time) error {
	return s.store.InTx(tenant.With(ctx, &tenant.Tenant{ID: t.TenantID}), func(ctx context.Context, tx *store.Tx) error {
		err := lockRebuild(ctx, tx, t.TenantID, t.TeamID)
		if errors.Is(err, errUnderWay) {
			return nil
		}
		if err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `UPDATE hierarchy_build SET status = 'QUEUED', queued_at = $1
			WHERE tenant_id = $2 AND team_id = $3 AND queued_at = $4 AND built_version = $5`, now, t.TenantID, t.TeamID, t.queuedAt, t.built)
		if err != nil || n == 0 {
			return err
		}
		return tx.Enqueue(ctx, t.RebuildArgs)
	})
}
