package record

import (
	"context"
	"strconv"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
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

// PeriodList returns the list of the periods of a relation of agents. The team is 0 for a
// relation that is in no team.
func PeriodList(ctx context.Context, s *store.Store, totals *listing.Totals, r *history.Relation, teamID int64, f PeriodFilter, orders []listing.Order) (listing.Rows, error) {
	tenantID, err := CheckFilter(ctx, s, f.texts(teamID)...)
	list := listing.Rows{Store: s, Name: r.Name, Owner: "p." + r.Owner, Keys: PeriodOrder(orders), Kept: totals.Of(ctx), ByValue: f.byValue()}
	return list.Join(listing.Joined{
		TenantID: tenantID, Tables: []listing.Table{{Name: "agency_agent", Alias: "a"}, {Name: r.Table, Alias: "p", On: "p.agent_id = a.id"}},
		Few: f.AgentCode != nil || f.UplineAgentCode != nil, Indexed: "p", InOrder: InOrder(history.AsOf{Known: f.Known}),
		Where: func(q *store.SQL) {
			f.Conditions(q)
			if r.OfTeam {
				q.Write(" AND p.team_id = ?", teamID)
			}
			if f.UplineAgentCode != nil {
				q.Write(" AND p.id IN (SELECT b.id FROM agency_upline_period b JOIN agency_agent v ON v.tenant_id = b.tenant_id AND v.id = b.upline_agent_id"+
					" WHERE b.tenant_id = ? AND b.team_id = ? AND v.code = ?", tenantID, teamID, *f.UplineAgentCode)
				q.Write(" UNION ALL SELECT b.id FROM agency_upline_period b WHERE b.tenant_id = ? AND b.team_id = ? AND b.deleted_upline_code = ?)", tenantID, teamID, *f.UplineAgentCode)
			}
		},
	}), err
}

// texts returns the texts among the conditions.
func (f PeriodFilter) texts(teamID int64) []FilterText {
	texts := []FilterText{FilterOn("agentCode", f.AgentCode), FilterOf(PayStatusTable, "payStatus", f.PayStatus), FilterOn("uplineAgentCode", f.UplineAgentCode)}
	if f.Level != nil && teamID != 0 {
		texts = append(texts, FilterOf(LevelTable(teamID), "level", new(strconv.Itoa(*f.Level))))
	}
	return texts
}

// byValue is that of a list of periods with these conditions (listing.Rows).
func (f PeriodFilter) byValue() bool {
	isNarrow := f.AgentCode != nil
	f.Known = history.Known{}
	return listing.ByValue(f, isNarrow)
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
