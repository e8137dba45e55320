package store

import "context"

// TableNames lists the tables of the database.
func (s *Store) TableNames(ctx context.Context) ([]string, error) { return s.tableNames(ctx) }

// PlannedIndexes are those that the migrations make.
func (s *Store) PlannedIndexes() (map[string]Index, error) { return s.plannedIndexes() }
