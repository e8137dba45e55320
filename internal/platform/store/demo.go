package store

import (
	"context"
	"errors"
)

// demoMark is the table that marks a database as the demo's. It is no migration's,
// and comes before all of them: a demo that is killed while it makes its tables
// finds its own database again, and no other database ever has it.
const demoMark = "upline_demo"

// ErrNotDemo refuses a database that the demo did not make.
var ErrNotDemo = errors.New("the database holds something else than the demo, which would write made-up agents into it")

// IsDemo reports whether the database is marked as the demo's.
func (s *Store) IsDemo(ctx context.Context) (bool, error) { return s.hasTable(ctx, demoMark) }

// MarkDemo marks an empty database as the demo's; one that is marked stays as it
// is. It returns ErrNotDemo for any other, and writes nothing there.
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
