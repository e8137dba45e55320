package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
)

// ErrOnlySQLite refuses to back up PostgreSQL, which has tools of its own for that.
var ErrOnlySQLite = errors.New("only an SQLite database is backed up and restored here; for PostgreSQL use pg_dump or pg_basebackup (docs/operations.md)")

// BackUp writes what is committed into a new file, for its owner only, and checks it. It
// reads in one transaction and blocks no writer. The file appears when it is complete.
func (s *Store) BackUp(ctx context.Context, path string) error {
	if s.Postgres() {
		return ErrOnlySQLite
	}
	return copyChecked(ctx, s.path, path)
}

// Restore checks a backup and writes it to a path where no file exists.
func Restore(ctx context.Context, backup, database string) error {
	if IsPostgres(database) {
		return ErrOnlySQLite
	}
	if err := checkPath(database); err != nil {
		return err
	}
	if _, err := os.Stat(backup); err != nil {
		return err
	}
	return copyChecked(ctx, backup, SQLitePath(database))
}

func copyChecked(ctx context.Context, from, to string) (err error) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if _, err := os.Lstat(to + suffix); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is there already: nothing is overwritten", to+suffix)
		}
	}
	folder := filepath.Dir(to)
	tmp, err := os.CreateTemp(folder, ".upline-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tmp.Close(), os.Remove(tmp.Name())) }()
	if err := copyFile(ctx, from, tmp.Name()); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	if err := checkCopy(ctx, tmp.Name()); err != nil {
		return fmt.Errorf("the copy of %s is not good: %w", from, err)
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), to); err != nil {
		return err
	}
	names, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(names.Sync(), names.Close()) // so that the name survives a loss of power
}

// checkCopy makes a copy one file, without WAL files beside it, and checks that it is an
// undamaged database of Upline.
func checkCopy(ctx context.Context, path string) error {
	copied, err := sql.Open("sqlite", sqliteDSN(path, "_pragma", "journal_mode(delete)", "mode", "rw"))
	if err != nil {
		return err
	}
	defer copied.Close()
	var wrong string
	if err := copied.QueryRowContext(ctx, "SELECT coalesce(max(integrity_check), '') FROM pragma_integrity_check WHERE integrity_check <> 'ok'").Scan(&wrong); err != nil {
		return err
	}
	if wrong != "" {
		return errors.New(wrong)
	}
	var version int64
	if err := copied.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version").Scan(&version); err != nil || version == 0 {
		return errors.Join(errors.New("it is no database of Upline"), err)
	}
	return nil
}

// copyFile writes what is committed in one file into another, on a connection of its
// own.
func copyFile(ctx context.Context, from, to string) error {
	source, err := sql.Open("sqlite", sqliteDSN(from, "mode", "rw"))
	if err != nil {
		return err
	}
	defer source.Close()
	conn, err := source.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(raw any) error {
		c, ok := raw.(interface {
			NewBackup(path string) (*sqlite.Backup, error)
		})
		if !ok {
			return fmt.Errorf("store: SQLite's connections are %T", raw)
		}
		backup, err := c.NewBackup(sqliteDSN(to, "_pragma", "synchronous(off)"))
		if err != nil {
			return err
		}
		_, err = backup.Step(-1)
		return errors.Join(err, backup.Finish())
	})
}
