package store

import (
	"context"
	"maps"
)

// Narrowing returns the names of the tables that a limited caller sees a part of,
// and of those it sees whole, with the reasons.
func Narrowing() (shadowed map[string]string, whole map[string]string) {
	shadowed = map[string]string{}
	for table, shadow := range shadows {
		shadowed[table] = shadow(vision{schema: "main", tenant: "$1", agent: "$2", day: "$3"})
	}
	return shadowed, maps.Clone(open)
}

// TableNames lists the tables of the database.
func (s *Store) TableNames(ctx context.Context) ([]string, error) { return s.tableNames(ctx) }

// PlannedIndexes are those that the migrations make.
func (s *Store) PlannedIndexes() (map[string]Index, error) { return s.plannedIndexes() }
