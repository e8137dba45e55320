package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/platform/store/dberror"
)

func (o Options) openPostgres(ctx context.Context, url string) (*Store, error) {
	cfg, pooled, err := o.configure(url)
	if err != nil {
		return nil, err
	}
	jobs, _, err := Options{}.configure(url) // without time limits for statements: River has its own
	if err != nil {
		return nil, err
	}
	pool, server, err := connect(ctx, url, pooled, cfg, jobs)
	if err != nil {
		return nil, err
	}
	conns := share(int(cfg.MaxConns), int(cfg.MaxConns))
	conn := pgConn{pgExecutor: pool, shared: shared{conns}, in: server.schema, sharded: server.sharded}
	if o.ReadDatabase != "" {
		conn.pgExecutor = routed{pool}
	}
	if server.guarded {
		conn.guarded = &guarded{}
	}
	s := &Store{raw: conn, pool: pool, pooled: pooled, conns: conns, guarded: server.guarded, sharded: server.sharded}
	if s.jobs, err = newPostgresJobs(ctx, jobs, pool); err != nil {
		pool.Close()
		return nil, err
	}
	if o.ReadDatabase != "" {
		if s.replica, err = o.openReplica(ctx, pool, server); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// server is what a database says of itself.
type server struct {
	schema           string // of the tables
	guarded, sharded bool
}

// connect opens the pool of a database. It adapts it, and the pool of jobs, to a
// coordinator of Citus, unless a pooler is in between.
func connect(ctx context.Context, url string, pooled bool, cfg, jobs *pgxpool.Config) (pool *pgxpool.Pool, s server, err error) {
	if pool, s, err = dial(ctx, cfg); err == nil && s.sharded && !pooled {
		pool.Close()
		setSharding(url, cfg)
		setSharding(url, jobs)
		setMigrating(jobs)
		pool, s, err = dial(ctx, cfg)
	}
	return pool, s, err
}

func dial(ctx context.Context, cfg *pgxpool.Config) (*pgxpool.Pool, server, error) {
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, server{}, err
	}
	var s server
	err = pool.QueryRow(ctx, `SELECT quote_ident(coalesce(current_schema(), 'public')), coalesce(row_security_active(to_regclass('agency_agent')), false),
		EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')`).Scan(&s.schema, &s.guarded, &s.sharded)
	if err != nil {
		pool.Close()
		return nil, server{}, fmt.Errorf("reach PostgreSQL: %w", err)
	}
	return pool, s, nil
}

// pgExecutor is the common interface of a pool and a transaction of pgx.
type pgExecutor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// pgConn runs statements on a pool, or in a transaction.
type pgConn struct {
	pgExecutor
	shared
	in      string // the schema of the tables
	guarded *guarded
	sharded bool // a coordinator of Citus
}

func (c pgConn) schema() string { return c.in }

// count counts a statement, and its round trip outside transactions, which count their
// own.
func (c pgConn) count(ctx context.Context) {
	count(ctx)
	if n, ok := ctx.Value(tripsKey{}).(*atomic.Int64); ok && c.conns != nil {
		n.Add(1)
	}
}

func (c pgConn) query(ctx context.Context, query string, args []any) (Rows, error) {
	r, err := c.rows(ctx, query, args)
	if err != nil {
		return nil, err // not a nil *pgRows in an interface
	}
	return r, nil
}

func (c pgConn) rows(ctx context.Context, query string, args []any) (*pgRows, error) {
	c.count(ctx)
	use, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := c.sendAgain(ctx, query, args)
	if err != nil {
		use.Done()
		return nil, err
	}
	rows.use = use
	return rows, nil
}

// sendAgain sends a query, and sends it again after a deadlock, unless it is part of a
// transaction.
func (c pgConn) sendAgain(ctx context.Context, query string, args []any) (rows *pgRows, err error) {
	if c.conns == nil {
		return c.send(ctx, query, args)
	}
	err = againIf(ctx, dberror.IsDeadlock, func() error {
		if rows, err = c.send(ctx, query, args); err != nil {
			return err
		}
		return rows.peek()
	})
	return rows, err
}

// send sends a query with the settings it needs.
func (c pgConn) send(ctx context.Context, query string, args []any) (*pgRows, error) {
	c.enter(ctx)
	if isSweeping(ctx) && c.conns != nil {
		query = sweeps + query
	}
	results, err := c.after(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if results == nil {
		rows, err := c.pgExecutor.Query(ctx, query, args...)
		return &pgRows{Rows: rows}, err
	}
	rows, err := results.Query()
	if err != nil {
		_ = results.Close()
		return nil, err
	}
	return &pgRows{Rows: rows, batch: results}, nil
}

func (c pgConn) exec(ctx context.Context, query string, args []any) (int64, error) {
	c.count(ctx)
	use, err := c.take(ctx, query)
	if err != nil {
		return 0, err
	}
	defer use.Done()
	c.enter(ctx)
	results, err := c.after(ctx, query, args)
	if err != nil {
		return 0, err
	}
	if results == nil {
		tag, err := c.pgExecutor.Exec(ctx, query, args...)
		return tag.RowsAffected(), err
	}
	tag, err := results.Exec()
	return tag.RowsAffected(), errors.Join(err, results.Close())
}

type pgRows struct {
	pgx.Rows
	use           lent
	batch         pgx.BatchResults // sent with the query; usually nil
	peeked, first bool
}

// peek reads the first row, and closes the rows if there is an error instead.
func (r *pgRows) peek() error {
	if r.first, r.peeked = r.Rows.Next(), true; !r.first && r.Err() != nil {
		return r.Close()
	}
	return nil
}

func (r *pgRows) Next() bool {
	more := r.first
	if !r.peeked {
		more = r.Rows.Next()
	}
	if r.peeked = false; more {
		r.use.read()
	}
	return more
}

func (r *pgRows) Close() error {
	defer r.use.Done()
	r.Rows.Close()
	if r.batch != nil {
		_ = r.batch.Close() // the rows report the error
	}
	return r.Rows.Err()
}

func (s *Store) beginPostgres(ctx context.Context, tx *Tx) error {
	opened, err := openPipeline(ctx, s.pool)
	if err != nil {
		return err
	}
	conn := pgConn{pgExecutor: opened, in: s.raw.schema(), sharded: s.sharded}
	if s.guarded {
		conn.guarded = &guarded{}
	}
	tx.raw = conn
	// What ends a transaction is not cut off with the context of its statements.
	tx.commit = func() error { return opened.Commit(context.Background()) }
	tx.rollback = func() error { return opened.Rollback(context.Background()) }
	tx.job = func(ctx context.Context, args river.JobArgs) error { return s.jobs.insertPostgres(ctx, opened, args) }
	return nil
}
