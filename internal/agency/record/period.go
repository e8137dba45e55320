package record

import (
	"time"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
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

// PeriodKeys are the sort keys of periods by GraphQL enum value.
var PeriodKeys = map[string]page.Key{
	"AGENT_CODE":        {Name: "code", SQL: "a.code", Kind: page.Text},
	"EFFECTIVE_FROM":    {Name: "from", SQL: "p.effective_from", Kind: page.Day},
	"EFFECTIVE_THROUGH": {Name: "through", SQL: "coalesce(p.effective_through, '9999-12-31')", Kind: page.Day},
	"LAST_MODIFIED":     {Name: "recorded", SQL: "p.recorded_at", Kind: page.Time},
}

// Place is the value of a sort key.
func (p *Period) Place(key string) any {
	switch key {
	case "code":
		return p.agentCode
	case "from":
		return p.EffectiveFrom
	case "through":
		return date.OrMax(p.EffectiveThrough)
	case "recorded":
		return p.RecordedAt
	}
	return p.ID
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

// PeriodOrder sorts periods; by agent code and first day unless told otherwise.
func PeriodOrder(orders []listing.Order) []page.Key {
	if len(orders) == 0 {
		orders = []listing.Order{{Field: "AGENT_CODE"}, {Field: "EFFECTIVE_FROM"}}
	}
	id := page.Key{Name: "id", SQL: "p.id", Kind: page.Int}
	if len(orders) == 1 && orders[0].Field == "AGENT_CODE" {
		id.SQL = "+p.id" // or SQLite reads all rows of the tenant for each agent, in the order of the ids
	}
	return listing.SortKeys(orders, PeriodKeys, id)
}

// ForOneOwner is the order of the periods of one owner: by first day.
func ForOneOwner() []listing.Order { return []listing.Order{{Field: "EFFECTIVE_FROM"}} }
