// Package hierarchy knows who is above whom in a team: today from rows that are
// flattened, on any other day from the upline periods, stored or kept in memory, unless
// the flattened rows say the same.
//
// On a day, a live upline period that covers it places its agent below an upline, or as a
// root if it names none. An agent without such a period has no place, unless others
// report to it: then it counts as a root. So the agents of a team on a day are those with
// a period and those that a period names.
//
// Every write of upline periods calls Changed (or ChangedAll) in its own transaction.
// That raises the team's change counter. If few agents move it also writes the flattened
// rows, the counter up to which they include changes, and the event
// HierarchyBuildCompleted; otherwise it asks for a rebuild, which writes all of these in a
// transaction of its own. A change during a rebuild raises the counter above what the
// rebuild writes, so no change is lost.
package hierarchy

import (
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
)

// maxLevel is the longest distance that is read or flattened. It bounds every recursion,
// even on damaged data; the deepest agencies have a third of it.
const maxLevel = 64

// Service rebuilds the flattened rows. It is safe for concurrent use.
type Service struct {
	store *store.Store
	clock clock.Clock
	kept  *kept
	// totals keeps the sizes of lists.
	totals *listing.Totals
}

// New returns the service.
func New(s *store.Store, c clock.Clock) *Service {
	return &Service{store: s, clock: c, kept: newKept(), totals: listing.NewTotals()}
}

// View returns the hierarchy of a team as of a day. Unlike a View literal, it keeps the
// team's periods in memory when it needs all of them, or has walked many.
func (s *Service) View(teamID int64, at history.AsOf, today date.Date) View {
	return View{TeamID: teamID, AsOf: at, Today: today, history: s.kept, totals: s.totals}
}
