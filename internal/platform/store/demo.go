package store

import (
	"context"
	"errors"
)

// demoMark is the table that marks a database as the demo's. No migration makes it, and
// it is made before all others: a demo that is killed while it creates its tables
// recognises its database again, and no other database ever has the table.
const demoMark = "upline_demo"

// ErrNotDemo refuses a database that the demo did not make.
var ErrNotDemo = errors.New("the database holds something else than the demo, which would write made-up agents into it")

// IsDemo reports whether the database is marked as the demo's.
func (s *Store) IsDemo(ctx context.Context) (bool, error) { return s.hasTable(ctx, demoMark) }

// MarkDemo marks an empty database as the demo's; a marked one stays as it is. For any
// other database it returns ErrNotDemo and writes nothing.
func (s *Store) MarkDemo(ctx context.Context) error {
	marked, err := s.IsDemo(ctx)
	if err != nil || marked {
		return err
	}
	tables, err := s.tableNames(ctx)
	if err != nil {
		return err
	}
	if len(tables) > 0 {
		return ErrNotDemo
	}
	return s.InTx(ctx, func(ctx context.Context, tx *Tx) error {
		_, err := tx.Exec(ctx, "CREATE TABLE "+demoMark+" (is_demo boolean NOT NULL)")
		return err
	})
}
