package store

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pressly/goose/v3"

	"github.com/uplinehq/upline/ent/migrations"
)

// refuseNewer refuses a database that a newer binary has migrated: this binary knows
// neither its tables nor its rules. It writes nothing, so that a database of another
// program stays as it is.
func (s *Store) refuseNewer(ctx context.Context) error {
	found, err := s.hasTable(ctx, "goose_db_version")
	if err != nil || !found {
		return err
	}
	newest, err := s.newestMigration()
	if err != nil {
		return err
	}
	var version int64
	if _, err := One(ctx, s, []any{&version}, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied"); err != nil {
		return err
	}
	if version > newest {
		return fmt.Errorf("the database is newer than this binary: it has migration %d, and the newest here is %d; run the upline that migrated it, or a later one", version, newest)
	}
	return nil
}

// MigrationFolder is where the migrations of this kind of database are.
func (s *Store) MigrationFolder() string {
	if s.Postgres() {
		return "postgres"
	}
	return "sqlite"
}

// newestMigration is the number of the last migration of this binary.
func (s *Store) newestMigration() (newest int64, err error) {
	files, err := fs.ReadDir(migrations.Files, s.MigrationFolder())
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		n, err := goose.NumericComponent(f.Name())
		if err != nil {
			return 0, err
		}
		newest = max(newest, n)
	}
	for _, m := range GoMigrations() {
		newest = max(newest, m.Version)
	}
	return newest, nil
}

// hasTable reports whether there is a table of a name.
func (s *Store) hasTable(ctx context.Context, name string) (bool, error) {
	all, err := s.tableNames(ctx)
	return slices.Contains(all, name), err
}

// tableNames lists the tables that there are.
func (s *Store) tableNames(ctx context.Context) ([]string, error) {
	query := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if s.Postgres() {
		query = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
	}
	return Collect(ctx, s, ScanOne[string], query)
}
