// Package export writes the rows of a query to a file, in the background: as
// CSV, as a workbook, or as lines of JSON.
//
// The row of an export is the truth, a job only wakes: whoever claims the row
// writes the file, chunk by chunk, encrypted, into the database, so that any
// process can serve it. A claim ends when its process is gone, and the next one
// begins the file anew; nothing is served before the last chunk is there.
package export

import (
	"time"

	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/enum"
	"github.com/uplinehq/upline/internal/words/tenant"
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

// Export is a file that somebody asked for.
type Export struct {
	ID int64
	// UID is in the path of the download.
	UID string
	// Status is one of the above.
	Status string
	// Format is one of sheet.Formats.
	Format string
	// ConnectionPath leads to the connection in the query.
	ConnectionPath string
	// OnDate is the day of the query where it names none.
	OnDate date.Date
	// RowCount are the rows written, RowTotal those there were to write, and Size
	// the bytes of the file; nil before they are known.
	RowCount, RowTotal, Size *int
	CreatedAt                time.Time
	FinishedAt, ExpiresAt    *time.Time
	// Error says to people why it was given up, or what the file lacks.
	Error *string

	owner owner
	// limit is the agent to whose downline the rows are limited; nil for none.
	limit *int64
	// version counts the changes of the row.
	version  int64
	attempts int
}

// IsOver reports whether nothing is written any more.
func (e *Export) IsOver() bool { return e.Status != Queued && e.Status != Running }

// owner is who asked, as far as it tells callers apart: a user whatever the
// client, and else a client.
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
