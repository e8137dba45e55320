package record

import (
	"time"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
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

// Texts returns the texts among the conditions.
func (f PeriodFilter) Texts() []FilterText {
	return []FilterText{FilterOn("agentCode", f.AgentCode), FilterOf(PayStatusTable, "payStatus", f.PayStatus), FilterOn("uplineAgentCode", f.UplineAgentCode)}
}

// ByValue is that of a list of periods with these conditions (listing.Rows).
func (f PeriodFilter) ByValue() bool {
	isNarrow := f.AgentCode != nil
	f.Known = history.Known{}
	return listing.ByValue(f, isNarrow)
}

// Conditions adds the conditions that all lists of periods have.
func (f PeriodFilter) Conditions(q *store.SQL) {
	q.Write(" AND " + f.Known.Condition("p", q.Arg))
	if f.AgentCode != nil {
		q.Write(" AND a.code = ?", *f.AgentCode)
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
