package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/uplinehq/upline/ent/migrations"
)

// Migration is a migration that was applied.
type Migration struct {
	Name string
	Took time.Duration
}

// Migrate brings the database to the newest version: our tables, then those of the job
// queue. Several processes may call it at once. It calls applied for each of our
// migrations that it applied. If Citus has spread the tables, it places the new ones, too.
func (s *Store) Migrate(ctx context.Context, applied ...func(Migration)) error {
	return s.migrate(ctx, migrations.Files, applied...)
}

func (s *Store) migrate(ctx context.Context, files fs.FS, applied ...func(Migration)) error {
	if s.pooled {
		return errPooled
	}
	p, done, err := s.migrations(files)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer done()
	up := p.Up
	if s.sharded {
		up = func(ctx context.Context) ([]*goose.MigrationResult, error) { return s.upSharded(ctx, p) }
	}
	results, err := up(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for _, r := range results {
		name := strings.TrimSuffix(path.Base(r.Source.Path), ".sql")
		if r.Source.Path == "" { // one written in Go
			name = fmt.Sprintf("%05d", r.Source.Version)
		}
		for _, tell := range applied {
			tell(Migration{Name: name, Took: r.Duration})
		}
	}
	if err := s.jobs.migrate(ctx); err != nil {
		return fmt.Errorf("migrate jobs: %w", err)
	}
	if len(results) > 0 {
		err = s.learn(ctx)
	}
	return err
}

// PendingMigrations reports whether the database lacks migrations of this binary.
func (s *Store) PendingMigrations(ctx context.Context) (bool, error) {
	p, done, err := s.migrations(migrations.Files)
	if err != nil {
		return false, err
	}
	defer done()
	return p.HasPending(ctx)
}

func (s *Store) migrations(files fs.FS) (p *goose.Provider, done func(), err error) {
	if files, err = fs.Sub(files, s.MigrationFolder()); err != nil {
		return nil, nil, err
	}
	if s.Postgres() {
		// A migration has no time limit.
		db := stdlib.OpenDBFromPool(s.jobs.pool)
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, nil, err
		}
		p, err = newProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
		return p, func() { db.Close() }, err
	}
	p, err = newProvider(goose.DialectSQLite3, s.writeDB, files)
	return p, func() {}, err
}

func newProvider(d goose.Dialect, db *sql.DB, files fs.FS, opts ...goose.ProviderOption) (*goose.Provider, error) {
	return goose.NewProvider(d, db, files, append(opts, goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(GoMigrations()...))...)
}
