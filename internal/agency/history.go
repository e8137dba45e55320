package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// History is the days that an agency knows something of.
type History struct {
	// First and Last are the first and the last day on which a period begins; nil
	// without any.
	First, Last *date.Date
	// UplineChanges are the months in which periods of uplines begin, in their order.
	UplineChanges []MonthCount
}

// MonthCount is how many begin in a month, such as 2026-03.
type MonthCount struct {
	Month string
	Count int
}

type dayCount struct {
	day   date.Date
	count int
}

// History reads the days that a team's agency knows something of. It reads each
// table of periods once, and none of their agents.
func (s *Service) History(ctx context.Context, teamID int64) (h History, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return h, err
	}
	days, err := store.Collect(ctx, s.store, func(r store.Scanner) (d dayCount, err error) { return d, r.Scan(&d.day, &d.count) },
		"SELECT p.effective_from, count(*) FROM agency_upline_period p WHERE p.tenant_id = $1 AND p.team_id = $2 AND p.superseded_at IS NULL"+
			" GROUP BY p.effective_from ORDER BY p.effective_from", tenantID, teamID)
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
	_, err = store.One(ctx, s.store, []any{&h.First, &h.Last}, `SELECT min(e.first_day), max(e.last_day) FROM (
		SELECT min(effective_from) AS first_day, max(effective_from) AS last_day FROM agency_upline_period WHERE tenant_id = $1 AND superseded_at IS NULL
		UNION ALL SELECT min(effective_from), max(effective_from) FROM agency_level_period WHERE tenant_id = $1 AND superseded_at IS NULL
		UNION ALL SELECT min(effective_from), max(effective_from) FROM agency_pay_status_period WHERE tenant_id = $1 AND superseded_at IS NULL
		UNION ALL SELECT min(effective_from), max(effective_from) FROM agency_certification_period WHERE tenant_id = $1 AND superseded_at IS NULL) AS e`, tenantID)
	return h, err
}
