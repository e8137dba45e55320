package record

import (
	"time"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// Period is what the rows of every history of an agent have in common.
type Period struct {
	ID               int64
	AgentID          int64
	EffectiveFrom    date.Date
	EffectiveThrough *date.Date
	RecordedAt       time.Time
	RecordedBy       string
	// SupersededAt is when a later change replaced the row; nil while it holds.
	SupersededAt *time.Time
	agentCode    string
}

// RowID is the id of the row.
func (p *Period) RowID() int64 { return p.ID }

// AgentCode is the code of the agent whose row it is.
func (p *Period) AgentCode() string { return p.agentCode }

// PeriodColumns are those of a period p and its agent a.
const PeriodColumns = "p.id, p.agent_id, p.effective_from, p.effective_through, p.recorded_at, p.recorded_by, p.superseded_at, a.code"

// Dest is where PeriodColumns are scanned to.
func (p *Period) Dest() []any {
	return []any{&p.ID, &p.AgentID, &p.EffectiveFrom, &p.EffectiveThrough, &p.RecordedAt, &p.RecordedBy, &p.SupersededAt, &p.agentCode}
}

// PeriodFilter are the conditions of a list of periods; nil ones do not count.
type PeriodFilter struct {
	AgentCode       *string
	PayStatus       *string // pay status periods only
	UplineAgentCode *string // upline periods only
	Level           *int    // level periods only
	// From and Through select the periods that overlap these days.
	From, Through *date.Date
	ModifiedSince *time.Time
	// Known selects the history as it was known at an instant.
	Known history.Known
	// ids selects rows by id, superseded ones too: a row that a change just wrote
	// may have been replaced by another one already.
	ids []int64
}

// Texts are the texts among the conditions.
func (f PeriodFilter) Texts() []FilterText {
	return []FilterText{FilterOn("agentCode", f.AgentCode), FilterOn("payStatus", f.PayStatus), FilterOn("uplineAgentCode", f.UplineAgentCode)}
}

// ByValue is that of a list of periods with these conditions (listing.List).
func (f PeriodFilter) ByValue() bool {
	isNarrow := f.AgentCode != nil || f.ids != nil
	f.Known = history.Known{}
	return listing.ByValue(f, isNarrow)
}

// ByID narrows a filter to rows of these ids.
func (f PeriodFilter) ByID(ids ...int64) PeriodFilter {
	f.ids = ids
	return f
}

// Conditions adds those of every list of periods.
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
