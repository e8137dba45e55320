// Package dberror says what the errors of both databases mean.
package dberror

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/uplinehq/upline/internal/platform/admission"
)

// IsDeadlock reports whether PostgreSQL chose a statement to end a deadlock. It may choose
// one that only reads: a migration locks one table after the other.
func IsDeadlock(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "40P01"
}

// IsUniqueViolation reports whether a unique index or constraint refused a write.
// PostgreSQL names the constraint and SQLite its columns, so both are given:
// IsUniqueViolation(err, "agency_agent_tenant_id_code_key", "agency_agent.tenant_id,
// agency_agent.code").
func IsUniqueViolation(err error, constraint, columns string) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "23505" && (pg.ConstraintName == constraint || ofShard(pg, constraint))
	}
	return isUniqueInSQLite(err, constraint, columns)
}

// IsForeignKeyViolation reports whether a write was refused because a row it
// refers to is missing, or because rows refer to the one it deletes.
func IsForeignKeyViolation(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "23503"
	}
	return isForeignKeyInSQLite(err)
}

// ofShard reports whether an error names a constraint of a shard: that of the table with
// the shard's number, in the message alone.
func ofShard(err *pgconn.PgError, constraint string) bool {
	_, after, found := strings.Cut(err.Message, `"`+constraint+"_")
	number, _, _ := strings.Cut(after, `"`)
	_, isNumber := strconv.Atoi(number)
	return found && isNumber == nil
}

func isUniqueInSQLite(err error, index, columns string) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) || e.Code() != sqlite3.SQLITE_CONSTRAINT_UNIQUE {
		return false
	}
	// SQLite names an index over expressions by its own name: index 'name'.
	return strings.Contains(e.Error(), columns) || strings.Contains(e.Error(), "'"+index+"'")
}

func isForeignKeyInSQLite(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}

// IsTimeout reports whether the database ended a statement that took too long.
func IsTimeout(err error) bool {
	var pg *pgconn.PgError
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &pg) && pg.Code == "57014" // query_canceled
}

// IsRefused reports whether a statement did not run because no connection became free in
// time.
func IsRefused(err error) bool {
	var refusal *admission.Refusal
	return errors.As(err, &refusal)
}
