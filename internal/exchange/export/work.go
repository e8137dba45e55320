package export

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

const (
	// Queue is the queue of the jobs, apart from others so that long exports delay no
	// other job. AtOnce is how many exports a process writes at a time.
	Queue  = "export"
	AtOnce = 2
	// lookEvery is how often a job looks for exports whose process is gone and whose
	// claim has ended.
	lookEvery = 15 * time.Second
)

// WorkArgs are the arguments of the job that writes an export: the one that has waited
// longest.
type WorkArgs struct{}

// Kind implements river.JobArgs.
func (WorkArgs) Kind() string { return "export" }

// InsertOpts implements river.JobArgsWithInsertOpts. The next job is the second
// attempt.
func (WorkArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue, MaxAttempts: 1} }

type worker struct {
	river.WorkerDefaults[WorkArgs]
	service *Service
}

// AddWorkers adds the workers of the area.
func (s *Service) AddWorkers(workers *river.Workers) {
	river.AddWorker(workers, &worker{service: s})
}

// Periodic looks for exports that nobody writes.
func Periodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(lookEvery),
		func() (river.JobArgs, *river.InsertOpts) { return WorkArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})
}

// Timeout implements river.Worker: the run has a limit of its own.
func (w *worker) Timeout(*river.Job[WorkArgs]) time.Duration { return w.service.Time + 2*lease }

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, _ *river.Job[WorkArgs]) error {
	found, err := w.service.WorkNext(ctx)
	if err != nil || !found {
		return err
	}
	return w.service.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error { return tx.Enqueue(ctx, WorkArgs{}) })
}

// key names an export of any tenant.
type key struct{ tenantID, id int64 }

// WorkNext writes the export that has waited longest; found is false when none waits.
// Tenants with fewer exports under way come first.
func (s *Service) WorkNext(ctx context.Context) (found bool, err error) {
	ctx = tenant.System(ctx, "look for an export that nobody writes")
	for {
		now := s.Clock.Now()
		next, err := store.Collect(ctx, s.Store, func(row store.Scanner) (k key, err error) { return k, row.Scan(&k.tenantID, &k.id) },
			`SELECT e.tenant_id, e.id FROM export e WHERE e.status = 'QUEUED' OR (e.status = 'RUNNING' AND e.held_until NOT BETWEEN $1 AND $2)
			ORDER BY (SELECT count(*) FROM export r WHERE r.tenant_id = e.tenant_id AND r.status = 'RUNNING' AND r.held_until BETWEEN $1 AND $2), e.created_at, e.id LIMIT 1`,
			now, now.Add(latestLease))
		if err != nil || len(next) == 0 {
			return false, err
		}
		r, err := s.claim(ctx, next[0])
		if err != nil {
			return false, err
		}
		if r != nil {
			return true, r.begin(tenant.With(ctx, r.tenant))
		}
	}
}

// begin writes a claimed export. When its tenant cannot be read, the export fails like
// any other, so that those of other tenants get their turn.
func (r *run) begin(ctx context.Context) error {
	t, err := r.Find(ctx, r.tenant.ID)
	if err != nil {
		return r.ended(ctx, err)
	}
	r.tenant = t
	return r.write(ctx)
}

// claim makes a run the one that writes an export, from its beginning; nil when another
// was faster. Of its tenant the run knows only the id.
func (s *Service) claim(ctx context.Context, k key) (*run, error) {
	r := &run{Service: s, tenant: &tenant.Tenant{ID: k.tenantID}, holder: uuid.NewString()}
	err := s.Store.InTx(tenant.With(ctx, r.tenant), func(ctx context.Context, tx *store.Tx) error {
		now := s.Clock.Now()
		r.export = nil
		n, err := tx.Exec(ctx, `UPDATE export SET status = 'RUNNING', holder = $3, held_until = $4, attempts = attempts + 1, version = version + 1, row_count = 0, row_total = NULL, size = NULL
			WHERE tenant_id = $1 AND id = $2 AND (status = 'QUEUED' OR (status = 'RUNNING' AND held_until NOT BETWEEN $5 AND $6))`, k.tenantID, k.id, r.holder, now.Add(lease), now, now.Add(latestLease))
		if err != nil || n == 0 {
			return err
		}
		tx.Signal(changed, k.tenantID)
		if err := deleteChunks(ctx, tx, k.tenantID, k.id); err != nil {
			return err
		}
		found, err := store.Collect(ctx, tx, scan, "SELECT "+columns+" FROM export e WHERE e.tenant_id = $1 AND e.id = $2", k.tenantID, k.id)
		if err == nil {
			r.export = found[0]
		}
		return err
	})
	if err != nil || r.export == nil {
		return nil, err
	}
	return r, nil
}
