// Package export writes the rows of a query to a file, in the background: as CSV, as a
// workbook, or as lines of JSON.
//
// The row of an export is the truth; a job only wakes a worker. Whoever claims the row
// writes the file into the database, chunk by chunk and encrypted, so that any process
// can serve it. When the process is gone, its claim ends, and the next one begins the
// file anew. Nothing is served before the last chunk is there.
package export

import (
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/tenant"
)

// Status is where an export stands; the schema describes each.
type Status string

// The statuses.
const (
	Queued    = "QUEUED"
	Running   = "RUNNING"
	Completed = "COMPLETED"
	Failed    = "FAILED"
	Expired   = "EXPIRED"
)

// Statuses are all of them.
var Statuses = enum.Of[Status](Queued, Running, Completed, Failed, Expired)

// Export is a file that a caller asked for.
type Export struct {
	ID int64
	// UID is in the path of the download.
	UID string
	// Status is one of Statuses.
	Status string
	// Format is one of sheet.Formats.
	Format string
	// ConnectionPath leads to the connection in the query.
	ConnectionPath string
	// OnDate is the day that the query is read as of where it names none.
	OnDate date.Date
	// RowCount is the number of rows written, RowTotal the number to write, and Size the
	// bytes of the file; nil before they are known.
	RowCount, RowTotal, Size *int
	CreatedAt                time.Time
	FinishedAt, ExpiresAt    *time.Time
	// Error tells people why the export failed, or what the file lacks.
	Error *string

	owner owner
	// limit is the agent to whose downline the rows are limited; nil without a limit.
	limit *int64
	// version counts the changes of the row.
	version  int64
	attempts int
}

// IsOver reports whether the export has ended, well or not.
func (e *Export) IsOver() bool { return e.Status != Queued && e.Status != Running }

// owner is who asked: a user, through whichever client, and otherwise a client.
type owner struct {
	userID            int64
	subject, clientID string
}

func ownerOf(c tenant.Caller) owner {
	if c.UserID != 0 {
		return owner{userID: c.UserID}
	}
	return owner{subject: c.Subject, clientID: c.ClientID}
}
