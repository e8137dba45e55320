package record

import (
	"time"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// Period holds what the rows of all histories of agents have in common.
type Period struct {
	ID               int64
	AgentID          int64
	EffectiveFrom    date.Date
	EffectiveThrough *date.Date
	RecordedAt       time.Time
	RecordedBy       string
	// SupersededAt is the instant at which a later change replaced the row; nil if none
	// has.
	SupersededAt *time.Time
	agentCode    string
}

// RowID returns the id of the row.
func (p *Period) RowID() int64 { return p.ID }

// AgentCode returns the code of the agent that the row is about.
func (p *Period) AgentCode() string { return p.agentCode }

// PeriodColumns are the columns of a period p and its agent a.
const PeriodColumns = "p.id, p.agent_id, p.effective_from, p.effective_through, p.recorded_at, p.recorded_by, p.superseded_at, a.code"

// Dest returns where PeriodColumns are scanned to.
func (p *Period) Dest() []any {
	return []any{&p.ID, &p.AgentID, &p.EffectiveFrom, &p.EffectiveThrough, &p.RecordedAt, &p.RecordedBy, &p.SupersededAt, &p.agentCode}
}

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
	// ids selects rows by id, superseded ones too: another change may already have
	// replaced the row that a change has just written.
	ids []int64
}

// Texts returns the texts among the conditions.
func (f PeriodFilter) Texts() []FilterText {
	return []FilterText{FilterOn("agentCode", f.AgentCode), FilterOf(PayStatusTable, "payStatus", f.PayStatus), FilterOn("uplineAgentCode", f.UplineAgentCode)}
}

// ByValue is that of a list of periods with these conditions (listing.List).
func (f PeriodFilter) ByValue() bool {
	isNarrow := f.AgentCode != nil || f.ids != nil
	f.Known = history.Known{}
	return listing.ByValue(f, isNarrow)
}

// ByID returns the filter, narrowed to the rows with these ids.
func (f PeriodFilter) ByID(ids ...int64) PeriodFilter {
	f.ids = ids
	return f
}

// Conditions adds the conditions that all lists of periods have.
func (f PeriodFilter) Conditions(s *store.Store, q *store.SQL) {
	if f.ids != nil {
		q.Write(" AND " + s.In("p.id", q.Arg(s.List(f.ids))))
	} else {
		q.Write(" AND " + f.Known.Condition("p", q.Arg))
	}
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
