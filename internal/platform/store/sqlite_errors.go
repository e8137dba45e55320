package store

import (
	"errors"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

func isSQLiteUnique(err error, index, columns string) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) || e.Code() != sqlite3.SQLITE_CONSTRAINT_UNIQUE {
		return false
	}
	// SQLite names an index over expressions by its own name: index 'name'.
	return strings.Contains(e.Error(), columns) || strings.Contains(e.Error(), "'"+index+"'")
}

func isSQLiteForeignKey(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}
