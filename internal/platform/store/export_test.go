package store

import (
	"context"
	"io/fs"
)

// MigrateBy is Migrate with other migrations.
func (s *Store) MigrateBy(ctx context.Context, files fs.FS) error { return s.migrate(ctx, files) }

// TableNames lists the tables of the database.
func (s *Store) TableNames(ctx context.Context) ([]string, error) { return s.tableNames(ctx) }
