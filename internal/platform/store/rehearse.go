package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/uplinehq/upline/internal/platform/store/prepared"
)

// Step runs f in a transaction that sees what the steps before it have written.
type Step func(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error

// errRehearsed ends a transaction that is not to be kept.
var errRehearsed = errors.New("store: rehearsed")

// Rehearse calls f with the steps of a change that is not kept: one transaction that is
// rolled back. A long one would block every other writer on SQLite, so there its steps
// run on a copy of the database, made from what is committed then, which takes the same
// space on the disk again. Like the function of InTx, f may be called more than once.
func (s *Store) Rehearse(ctx context.Context, long bool, f func(ctx context.Context, step Step) error) error {
	if long && !s.Postgres() {
		return s.rehearseOnCopy(ctx, f)
	}
	err := s.InTx(ctx, func(ctx context.Context, tx *Tx) error {
		if err := f(ctx, func(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error { return f(ctx, tx) }); err != nil {
			return err
		}
		return errRehearsed
	})
	if errors.Is(err, errRehearsed) {
		return nil
	}
	return err
}

func (s *Store) rehearseOnCopy(ctx context.Context, f func(ctx context.Context, step Step) error) error {
	c, err := s.copy(ctx)
	if err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	defer c.writeDB.Close()
	return f(ctx, c.InTx)
}

// copy returns a store that writes to a copy of an SQLite database, and reads only in its
// transactions. The file of the copy has no name, so nothing is left of it however the
// process ends; its journal is in memory.
func (s *Store) copy(ctx context.Context) (*Store, error) {
	folder, err := os.MkdirTemp(filepath.Dir(s.path), ".rehearsal-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "copy.db")
	if err := copyFile(ctx, s.path, path); err != nil {
		return nil, err
	}
	copied, err := prepared.Open(sqliteDSN(path, "_pragma", "journal_mode(memory)", "_pragma", "synchronous(off)"))
	if err != nil {
		return nil, err
	}
	// The only connection stays open, since a file without a name cannot be opened again.
	copied.SetMaxOpenConns(1)
	if err := copied.PingContext(ctx); err != nil {
		return nil, errors.Join(err, copied.Close())
	}
	return &Store{jobs: s.jobs, writeDB: copied, writer: shared{share(1, 1)}}, nil
}
