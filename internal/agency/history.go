package agency

import (
	"context"
	"strings"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// History is the range of days for which an agency has data.
type History struct {
	// First and Last are the first and the last day on which a period of an agent or of a
	// certification begins; nil without any period. Periods that begin before check.FirstDay, as some did before there was
	// such a bound, or more than ten years from today, do not count: they would stretch the
	// range over centuries.
	First, Last *date.Date
	// UplineChanges counts the periods of uplines by the month in which they begin, in
	// order of the months.
	UplineChanges []MonthCount
}

// MonthCount is the number of periods that begin in a month, such as 2026-03.
type MonthCount struct {
	Month string
	Count int
}

type dayCount struct {
	day   date.Date
	count int
}

// plannedYears is how far ahead of today a history may reach.
const plannedYears = 10

// inReach is the condition of the periods that belong to the history.
const inReach = " AND p.effective_from BETWEEN $3 AND $4"

// History returns the range of days for which the agency of a team has data. It reads
// indexes alone, and no agents.
func (l *finder) History(ctx context.Context, teamID int64) (h History, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return h, err
	}
	latest := date.In(l.clock.Now().AddDate(plannedYears, 0, 0), tenant.From(ctx).Zone)
	days, err := store.Collect(ctx, l.store, func(r store.Scanner) (d dayCount, err error) { return d, r.Scan(&d.day, &d.count) },
		"SELECT p.effective_from, count(*) FROM agency_upline_period p WHERE p.tenant_id = $1 AND p.team_id = $2"+history.LiveInOrder+inReach+
			" GROUP BY p.effective_from ORDER BY p.effective_from", tenantID, teamID, check.FirstDay, latest)
	if err != nil {
		return h, err
	}
	for _, d := range days {
		month := d.day.String()[:len("2026-03")]
		if n := len(h.UplineChanges); n == 0 || h.UplineChanges[n-1].Month != month {
			h.UplineChanges = append(h.UplineChanges, MonthCount{Month: month})
		}
		h.UplineChanges[len(h.UplineChanges)-1].Count += d.count
	}
	ends, err := store.Collect(ctx, l.store, store.ScanOne[*date.Date], begins, tenantID, teamID, check.FirstDay, latest)
	for _, day := range ends {
		if day != nil {
			h.reach(*day)
		}
	}
	return h, err
}

// reach extends the history to a day.
func (h *History) reach(day date.Date) {
	if h.First == nil || day < *h.First {
		h.First = &day
	}
	if h.Last == nil || day > *h.Last {
		h.Last = &day
	}
}

// begins is a query of the first and the last day on which a period of each relation
// begins. Each is found at one end of an index.
var begins = func() string {
	var ends []string
	for _, r := range history.Relations {
		if r == history.Requirements {
			continue // a rule may begin long before the first agent did
		}
		of := r.Table + " p WHERE p.tenant_id = $1"
		if r.OfTeam {
			of += " AND p.team_id = $2"
		}
		for _, order := range []string{"", " DESC"} {
			ends = append(ends, "SELECT (SELECT p.effective_from FROM "+of+history.LiveInOrder+inReach+" ORDER BY p.effective_from"+order+" LIMIT 1)")
		}
	}
	return strings.Join(ends, " UNION ALL ")
}()
