// Package store opens the database – PostgreSQL or SQLite – and runs statements and
// transactions on it. Every difference between the two is handled here; the other
// packages are written once.
//
// A transaction has statements and insertions of jobs. A statement names its tenant; the
// tables and columns are those of ent/schema.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/uplinehq/upline/internal/platform/admission"
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	raw     querier // outside transactions
	jobs    jobs
	signals signals
	turns   turns
	gone    gone

	pool            *pgxpool.Pool // PostgreSQL only
	pooled          bool          // through a pooler in transaction mode
	writeDB, readDB *sql.DB       // SQLite only
	writer          shared        // the one connection that writes; SQLite only
	path            string        // of the file; SQLite only
	guarded         bool          // its role has policies
	sharded         bool          // it is a coordinator of Citus
	replica         *replica      // answers queries; usually nil
	// conns shares out the connections of the pool, or of readDB.
	conns *admission.Connections
}

// Options are the settings of a Store. The zero value is usable.
type Options struct {
	// StatementTimeout is the time after which PostgreSQL ends a statement, or an idle
	// transaction; 0 for never. On both databases statements also end with their context;
	// this is for statements whose process is gone. Migrations have no timeout. A
	// statement_timeout in the URL takes precedence.
	StatementTimeout time.Duration
	// MustExist refuses an SQLite file that does not exist, instead of creating it.
	MustExist bool
	// ReadDatabase is the URL of a streaming replica, which answers queries if it has
	// every change that they must show.
	ReadDatabase string
}

// Open opens the database named by url: "postgres://…", or the path of an SQLite file,
// which is created if it is missing. It applies no migrations, and refuses a database
// with migrations that it does not know.
func Open(ctx context.Context, url string) (*Store, error) { return OpenWith(ctx, url, Options{}) }

// OpenWith is Open with options.
func OpenWith(ctx context.Context, url string, o Options) (*Store, error) {
	open := o.openSQLite
	if o.ReadDatabase != "" && !(IsPostgres(url) && IsPostgres(o.ReadDatabase)) {
		return nil, errors.New("store: a read database is a streaming replica of a database on PostgreSQL: both are named by postgres://…")
	}
	if IsPostgres(url) {
		open = o.openPostgres
	} else if err := checkPath(url); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s, err := open(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
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

// notPath matches the beginnings of URLs of other databases, and PostgreSQL's keyword
// settings.
var notPath = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+):|^[a-z_]+ *=`)

// checkPath refuses a text that is not the path of an SQLite file: a mistyped URL would
// become a file. The error repeats only the scheme, since a URL may hold a password.
func checkPath(url string) error {
	found := notPath.FindStringSubmatch(strings.TrimPrefix(url, sqliteScheme))
	switch {
	case url == "" || url == sqliteScheme:
		return errors.New("the database has no name: give postgres://… or the path of an SQLite file")
	case found == nil:
		return nil
	case found[1] == "":
		return errors.New("the database is named by keywords: give postgres://… or the path of an SQLite file")
	}
	return fmt.Errorf("%s: is no kind of database: give postgres://… or the path of an SQLite file (./%s:… for one whose name begins like this)", found[1], found[1])
}

// Postgres reports whether the database is PostgreSQL.
func (s *Store) Postgres() bool { return s.pool != nil }

// Parallel returns how many statements the database runs for this process at once,
// besides look-ups.
func (s *Store) Parallel() int {
	if s.Postgres() {
		return int(s.pool.Config().MaxConns)
	}
	return s.readDB.Stats().MaxOpenConnections - s.conns.Kept() + s.writeDB.Stats().MaxOpenConnections
}

// Connections returns how many connections statements have taken, and how many statements
// wait for one, without SQLite's writer.
func (s *Store) Connections() (taken, waiting int) { return s.conns.State() }

// WALSize is the size of the write-ahead log beside an SQLite file, in bytes; 0 on
// PostgreSQL.
func (s *Store) WALSize() int64 {
	info, err := os.Stat(s.path + "-wal")
	if s.Postgres() || err != nil { // there is no such file while the database is not open
		return 0
	}
	return info.Size()
}

// Ping reports whether the database answers on the connections that requests use. It
// counts as a look-up, for which some of them are reserved.
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

// Close closes the database. It waits for transactions under way.
func (s *Store) Close() {
	if s.Postgres() {
		if s.replica != nil {
			s.replica.stop()
		}
		s.jobs.close()
		s.pool.Close()
		return
	}
	s.readDB.Close()
	s.writeDB.Close()
}
