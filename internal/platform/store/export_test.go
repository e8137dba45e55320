package store

import (
	"context"
	"io/fs"
)

// MigrateBy is Migrate with other migrations.
func (s *Store) MigrateBy(ctx context.Context, files fs.FS) error { return s.migrate(ctx, files) }

// TableNames lists the tables of the database.
func (s *Store) TableNames(ctx context.Context) ([]string, error) { return s.tableNames(ctx) }

// TurnsTaken is how many turns are taken.
func TurnsTaken(s *Store) int {
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	return len(s.turns.waiting)
}

// TurnsWaiting is how many wait for a turn.
func TurnsWaiting(s *Store) (n int) {
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	for _, queue := range s.turns.waiting {
		n += len(queue)
	}
	return n
}
