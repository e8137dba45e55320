package store

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// jobs is the River client of either database; the other one's fields are nil.
type jobs struct {
	postgres *river.Client[pgx.Tx]
	sqlite   *river.Client[*sql.Tx]
	// pool is River's own, so that its leader election does not wait for a connection
	// behind requests.
	pool    *pgxpool.Pool
	writeDB *sql.DB
}

// jobConns is the size of River's own pool on PostgreSQL.
const jobConns = 4

func newPostgresJobs(ctx context.Context, main *pgxpool.Config, inserts *pgxpool.Pool) (jobs, error) {
	cfg := main.Copy()
	cfg.MaxConns = jobConns
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return jobs{}, err
	}
	client, err := river.NewClient(riverpgxv5.New(inserts), insertOnly())
	return jobs{postgres: client, pool: pool}, err
}

func newSQLiteJobs(writeDB *sql.DB) (jobs, error) {
	client, err := river.NewClient(riversqlite.New(writeDB), insertOnly())
	return jobs{sqlite: client, writeDB: writeDB}, err
}

func insertOnly() *river.Config { return &river.Config{Logger: slog.New(slog.DiscardHandler)} }

func (j jobs) insertPostgres(ctx context.Context, tx pgx.Tx, args river.JobArgs) error {
	_, err := j.postgres.InsertTx(ctx, tx, args, nil)
	return err
}

func (j jobs) insertSQLite(ctx context.Context, tx *sql.Tx, args river.JobArgs) error {
	_, err := j.sqlite.InsertTx(ctx, tx, args, nil)
	return err
}

func (j jobs) migrate(ctx context.Context) error {
	if j.pool != nil {
		return migrateRiver(ctx, riverpgxv5.New(j.pool))
	}
	return migrateRiver(ctx, riversqlite.New(j.writeDB))
}

func migrateRiver[T any](ctx context.Context, driver riverdriver.Driver[T]) error {
	m, err := rivermigrate.New(driver, nil)
	if err != nil {
		return err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

func (j jobs) close() {
	if j.pool != nil {
		j.pool.Close()
	}
}

// JobRunner works on jobs until it is stopped.
type JobRunner interface {
	Start(ctx context.Context) error
	// Stop lets running jobs finish, until ctx ends.
	Stop(ctx context.Context) error
}

// JobConfig says which jobs a process works on.
type JobConfig struct {
	Workers  *river.Workers
	Periodic []*river.PeriodicJob
	Logger   *slog.Logger
	// MaxWorkers limits the jobs that run at once.
	MaxWorkers int
	// Around is called for each job and calls work.
	Around func(ctx context.Context, kind string, work func(context.Context) error) error
	// Queues are further queues, each with its own limit, so that long jobs there hold up
	// no others.
	Queues map[string]int
}

// JobRunner returns a runner for the store's jobs. Each process may run one; they share
// the work.
func (s *Store) JobRunner(c JobConfig) (JobRunner, error) {
	queues := map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: c.MaxWorkers}}
	for name, most := range c.Queues {
		queues[name] = river.QueueConfig{MaxWorkers: most}
	}
	cfg := &river.Config{
		Workers:      c.Workers,
		PeriodicJobs: c.Periodic,
		Logger:       slog.New(jobLog{c.Logger.Handler()}),
		Queues:       queues,
		// A process that is killed leaves its jobs in the state running. Others take them
		// over after two minutes, not after River's hour.
		JobTimeout:           time.Minute,
		RescueStuckJobsAfter: 2 * time.Minute,
		// Notifications do not pass through a pooler in transaction mode.
		PollOnly: s.pooled,
	}
	if c.Around != nil {
		cfg.Middleware = []rivertype.Middleware{river.WorkerMiddlewareFunc(func(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
			return c.Around(ctx, job.Kind, work)
		})}
	}
	if s.Postgres() {
		return river.NewClient(riverpgxv5.New(s.jobs.pool), cfg)
	}
	return river.NewClient(riversqlite.New(s.writeDB), cfg)
}
