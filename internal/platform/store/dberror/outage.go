package dberror

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/uplinehq/upline/internal/platform/admission"
)

// Outage returns why the database made a request fail: it is away, its disk is full, or
// no connection became free. It returns nil for any other error, such as that of a client
// that left.
func Outage(err error) *admission.Refusal {
	var refusal *admission.Refusal
	var pg *pgconn.PgError
	var lite *sqlite.Error
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return nil
	case errors.As(err, &refusal):
		return refusal
	case errors.As(err, &pg) && isWorkerGone(pg):
		return outage(admission.Database)
	case errors.As(err, &pg):
		return outage(pgOutage(pg.Code))
	case errors.As(err, &lite):
		return outage(sqliteOutage(lite.Code()))
	case IsDisconnected(err):
		return outage(admission.Database)
	}
	return nil
}

func outage(r admission.Reason) *admission.Refusal {
	if r == "" {
		return nil
	}
	return &admission.Refusal{Reason: r, After: admission.RetryOutage}
}

// pgOutage interprets an error code of PostgreSQL (Appendix A): class 08 is about
// connections, 53 about resources, 57P about a server that stops or starts, 58030 about
// its files.
func pgOutage(code string) admission.Reason {
	switch {
	case code == "53100":
		return admission.Disk
	case strings.HasPrefix(code, "08"), strings.HasPrefix(code, "53"), strings.HasPrefix(code, "57P"), code == "58030":
		return admission.Database
	}
	return ""
}

func sqliteOutage(code int) admission.Reason {
	switch code & 0xff { // the rest says more
	case sqlite3.SQLITE_FULL:
		return admission.Disk
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM:
		return admission.Database
	}
	return ""
}

// IsDisconnected reports whether a connection broke or could not be opened.
func IsDisconnected(err error) bool {
	var connect *pgconn.ConnectError
	var network *net.OpError
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, puddle.ErrClosedPool) || strings.HasSuffix(err.Error(), "conn closed") // pgx has no value for it
}

// isWorkerGone reports whether Citus says that a worker went away while a transaction was
// committed there, for which it has no code: that may be done, or not.
func isWorkerGone(err *pgconn.PgError) bool {
	return strings.HasPrefix(err.Message, "could not commit transaction for shard ")
}
