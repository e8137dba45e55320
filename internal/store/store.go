// Package store opens the database – PostgreSQL or SQLite – and runs
// statements and transactions on it. Every difference between the two lives
// here; the rest of the code is written once.
//
// Three kinds of statements meet in one transaction: ent's, those written by
// hand, and the insertion of jobs. The tenant is added to every ent statement
// and one without a tenant is refused; SQL written by hand names it itself.
package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/internal/admission"
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	dialect string
	read    *db.Client
	write   *db.Client
	raw     querier // reads by hand
	jobs    jobs
	signals signals

	pool            *pgxpool.Pool // PostgreSQL only
	writeDB, readDB *sql.DB       // SQLite only
	path            string        // of the file; SQLite only
	// conns shares out the connections of the pool, or of readDB.
	conns *admission.Connections
}

// Options set up a Store. The zero value is usable.
type Options struct {
	// StatementTimeout is when PostgreSQL ends a statement by itself, and a
	// transaction that is idle; 0 is never. Statements end with their context as
	// well, on both databases: this is for those whose process cannot say so any
	// more. Migrations go without. A statement_timeout in the URL counts instead.
	StatementTimeout time.Duration
}

// Open opens the database named by url: "postgres://…", or the path of an
// SQLite file, which is created when missing. It applies no migrations, and
// refuses a database that has more of them than it knows.
func Open(ctx context.Context, url string) (*Store, error) { return OpenWith(ctx, url, Options{}) }

// OpenWith is Open with options.
func OpenWith(ctx context.Context, url string, o Options) (*Store, error) {
	open := openSQLite
	if IsPostgres(url) {
		open = o.openPostgres
	}
	s, err := open(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	guardTenant(s.read)
	if s.write != s.read {
		guardTenant(s.write)
	}
	if err := s.refuseNewer(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("store: %w", err)
	}
	return s, nil
}

// IsPostgres reports whether a database URL names PostgreSQL.
func IsPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// Ent returns the client for reads outside a transaction. Writes go through
// InTx.
func (s *Store) Ent() *db.Client { return s.read }

// Postgres reports whether the database is PostgreSQL.
func (s *Store) Postgres() bool { return s.dialect == dialect.Postgres }

// Parallel returns how many statements the database runs for this process at
// once, besides those of look-ups.
func (s *Store) Parallel() int {
	if s.Postgres() {
		return int(s.pool.Config().MaxConns)
	}
	return s.readDB.Stats().MaxOpenConnections - s.conns.Kept() + s.writeDB.Stats().MaxOpenConnections
}

// Connections returns how many connections statements have, and how many statements
// wait for one; SQLite's writer aside.
func (s *Store) Connections() (taken, waiting int) { return s.conns.State() }

// Ping reports whether the database answers on a connection of those that requests
// use. Some of them are kept for look-ups, as this is one.
func (s *Store) Ping(ctx context.Context) error {
	use, err := s.conns.Take(admission.AsLookUp(ctx), "", "")
	if err != nil {
		return err
	}
	defer use.Done()
	if s.Postgres() {
		return s.pool.Ping(ctx)
	}
	return s.readDB.PingContext(ctx)
}

// Close closes the database. Transactions under way are waited for.
func (s *Store) Close() {
	if s.Postgres() {
		s.jobs.close()
		s.pool.Close()
		return
	}
	s.readDB.Close()
	s.writeDB.Close()
}
