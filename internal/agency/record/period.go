package record

import (
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

// PeriodFilter holds the conditions of a list of periods. A nil field is no condition.
type PeriodFilter struct {
	AgentCode       *string
	PayStatus       *string // pay status periods only
	UplineAgentCode *string // upline periods only
	Level           *int    // level periods only
	// From and Through bound the days that a period overlaps.
	From, Through *date.Date
	ModifiedSince *time.Time
	// Known is the instant as of which the history is read.
	Known history.Known
}

// Conditions adds the conditions of the periods p and their agents a.
func (f PeriodFilter) Conditions(q *store.SQL) {
	q.Write(" AND " + f.Known.Condition("p", q.Arg))
	if f.AgentCode != nil {
		q.Write(" AND a.code = ?", *f.AgentCode)
	}
	if f.PayStatus != nil {
		q.Write(" AND p.status = ?", *f.PayStatus)
	}
	if f.Level != nil {
		q.Write(" AND p.level = ?", *f.Level)
	}
	if f.From != nil {
		q.Write(" AND (p.effective_through IS NULL OR p.effective_through >= ?)", *f.From)
	}
	if f.Through != nil {
		q.Write(" AND p.effective_from <= ?", *f.Through)
	}
	if f.ModifiedSince != nil {
		q.Write(" AND p.recorded_at >= ?", *f.ModifiedSince)
	}
}
