package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/platform/store/prepared"
)

const sqliteScheme = "sqlite://"

// SQLitePath is the path of the file that a database URL names.
func SQLitePath(url string) string { return strings.TrimPrefix(url, sqliteScheme) }

// openSQLite opens a file with one connection for writing and a few for reading. A write
// transaction takes the lock when it begins (_txlock=immediate), so none fails half way
// because of another writer.
func (o Options) openSQLite(ctx context.Context, path string) (*Store, error) {
	path = SQLitePath(path)
	if err := o.makeSQLiteFile(path); err != nil {
		return nil, err
	}
	writeDB, err := prepared.Open(sqliteDSN(path, "_txlock", "immediate", "_pragma", "journal_mode(wal)"))
	if err != nil {
		return nil, err
	}
	writeDB.SetMaxOpenConns(1)
	if err := writeDB.PingContext(ctx); err != nil {
		writeDB.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	readDB, err := prepared.Open(sqliteDSN(path, "_pragma", "query_only(1)"))
	if err != nil {
		writeDB.Close()
		return nil, err
	}
	readers := max(4, runtime.GOMAXPROCS(0)) + 1 // and one that is reserved for look-ups
	readDB.SetMaxOpenConns(readers)
	readDB.SetMaxIdleConns(readers)

	// Statements compute in this process: more at once are no faster, and others wait.
	conns := share(readers, runtime.GOMAXPROCS(0))
	s := &Store{
		raw:     sqlConn{readDB, shared{conns}},
		writeDB: writeDB, writer: shared{share(1, 1)}, readDB: readDB, path: path, conns: conns,
	}
	if s.jobs, err = newSQLiteJobs(writeDB); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// makeSQLiteFile creates the file if there is none, for its owner only, like the key
// file: it holds names and addresses unencrypted. SQLite gives the files beside it (-wal,
// -shm) the same mode.
func (o Options) makeSQLiteFile(path string) error {
	if o.MustExist {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no database %s: make it with upline migrate, or name another", path)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// sqliteDSN names a file and the settings of every connection: times in a form that
// compares as text, foreign keys on, and commits that reach the disk, since an
// acknowledged write must never be lost. A connection keeps 8 MiB of pages, which take
// twice as much: the driver's allocator gives each page of 4 KiB and its head 8 KiB. With
// eight times as many, an agency of 100,000 agents is read no faster.
func sqliteDSN(path string, more ...string) string {
	q := url.Values{
		"_time_format": {"sqlite"},
		"_pragma":      {"busy_timeout(10000)", "foreign_keys(1)", "synchronous(full)", "temp_store(memory)", "cache_size(-8192)"},
	}
	for i := 0; i < len(more); i += 2 {
		q.Add(more[i], more[i+1])
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// sqlExecutor is the common interface of *sql.DB and *sql.Tx.
type sqlExecutor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

type sqlConn struct {
	db sqlExecutor
	shared
}

func (sqlConn) schema() string { return "main" }

func (c sqlConn) query(ctx context.Context, query string, args []any) (Rows, error) {
	count(ctx)
	query, args = positional(query, args)
	use, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := c.db.QueryContext(ctx, query, args...)
	if err != nil {
		use.Done()
		return nil, err
	}
	return lentRows{rows, use}, nil
}

func (c sqlConn) exec(ctx context.Context, query string, args []any) (int64, error) {
	count(ctx)
	query, args = positional(query, args)
	use, err := c.take(ctx, query)
	if err != nil {
		return 0, err
	}
	defer use.Done()
	result, err := c.db.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (s *Store) beginSQLite(ctx context.Context, tx *Tx) error {
	opened, err := s.writeDB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	tx.raw, tx.commit, tx.rollback = sqlConn{db: opened}, opened.Commit, opened.Rollback
	tx.job = func(ctx context.Context, args river.JobArgs) error { return s.jobs.insertSQLite(ctx, opened, args) }
	return nil
}
