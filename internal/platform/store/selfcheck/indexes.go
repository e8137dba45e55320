package selfcheck

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/uplinehq/upline/ent/migrations"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Index is an index of the migrations, with the statement that creates it.
type Index struct{ Name, Statement string }

// indexChange matches the statements of a migration that create or drop an index.
var indexChange = regexp.MustCompile(`(?is)\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+(\w+)\s+ON\s+\w+[^;]*|\bDROP\s+INDEX\s+(\w+)|\bDROP\s+TABLE\s+(\w+)`)

// indexedTable is the table of an index.
var indexedTable = regexp.MustCompile(`(?is)\bON\s+(\w+)`)

// sqlComment is a comment to the end of its line.
var sqlComment = regexp.MustCompile(`--[^\n]*`)

// plannedIndexes reads the migrations in order and returns the indexes that exist after
// the last one, by name.
func plannedIndexes(s *store.Store) (map[string]Index, error) {
	folder := s.MigrationFolder()
	files, err := fs.ReadDir(migrations.Files, folder)
	if err != nil {
		return nil, err
	}
	planned := map[string]Index{}
	for _, f := range files { // the order of their names is the order of the migrations
		text, err := fs.ReadFile(migrations.Files, path.Join(folder, f.Name()))
		if err != nil {
			return nil, err
		}
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		for _, found := range indexChange.FindAllStringSubmatch(sqlComment.ReplaceAllString(up, ""), -1) {
			switch statement, made, dropped, table := found[0], found[1], found[2], found[3]; {
			case made != "":
				planned[made] = Index{made, strings.Join(strings.Fields(statement), " ")}
			case dropped != "":
				delete(planned, dropped)
			default:
				for name, index := range planned {
					if indexedTable.FindStringSubmatch(index.Statement)[1] == table {
						delete(planned, name)
					}
				}
			}
		}
	}
	return planned, nil
}

// MissingIndexes returns the indexes of the migrations that do not exist, or that
// PostgreSQL cannot use because their creation failed, by name.
func MissingIndexes(ctx context.Context, s *store.Store) ([]Index, error) {
	planned, err := plannedIndexes(s)
	if err != nil {
		return nil, err
	}
	query := "SELECT name FROM sqlite_master WHERE type = 'index'"
	if s.Postgres() {
		query = `SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
			WHERE c.relnamespace = current_schema()::regnamespace AND i.indisvalid`
	}
	there, err := store.Collect(ctx, s, store.ScanOne[string], query)
	if err != nil {
		return nil, err
	}
	for _, name := range there {
		delete(planned, name)
	}
	missing := make([]Index, 0, len(planned))
	for _, index := range planned {
		missing = append(missing, index)
	}
	slices.SortFunc(missing, func(a, b Index) int { return strings.Compare(a.Name, b.Name) })
	return missing, nil
}

// MakeIndex creates an index of MissingIndexes. Writers of its table wait meanwhile.
func MakeIndex(ctx context.Context, s *store.Store, i Index) error {
	return s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.Exec(ctx, "DROP INDEX IF EXISTS "+i.Name); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, i.Statement); err != nil {
			return fmt.Errorf("make index %s: %w", i.Name, err)
		}
		return nil
	})
}
