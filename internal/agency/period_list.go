package agency

import (
	"context"
	"strconv"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// PeriodList returns the list of the periods of a relation of agents. The team is 0 for a
// relation that is in no team.
func (l *finder) PeriodList(ctx context.Context, r *history.Relation, teamID int64, f record.PeriodFilter, orders []listing.Order) (listing.Rows, error) {
	tenantID, err := record.CheckFilter(ctx, l.store, periodTexts(f, teamID)...)
	dated := f
	dated.Known = history.Known{}
	list := listing.Rows{Store: l.store, Name: r.Name, Owner: "p." + r.Owner, Keys: periodKeys(orders), Kept: l.totals.Of(ctx), ByValue: listing.ByValue(dated, f.AgentCode != nil)}
	few := ""
	switch {
	case f.AgentCode != nil:
		few = "a"
	case f.UplineAgentCode != nil:
		few = "p"
	}
	return list.Join(listing.Joined{
		TenantID: tenantID, Tables: []listing.Table{{Name: "agency_agent", Alias: "a"}, {Name: r.Table, Alias: "p", On: "p.agent_id = a.id"}},
		Few: few, Indexed: "p", InOrder: record.InOrder(history.AsOf{Known: f.Known}),
		Where: func(q *store.SQL) {
			f.Conditions(q)
			if !l.store.Postgres() {
				q.Write(" AND p.effective_from >= ''") // or SQLite reads all uplines of the team for each agent, from an index that has more of the columns
			}
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

// periodKeys returns the sort keys of periods: by agent code and first day unless orders
// say otherwise.
func periodKeys(orders []listing.Order) []page.Key {
	if len(orders) == 0 {
		orders = []listing.Order{{Field: "AGENT_CODE"}, {Field: "EFFECTIVE_FROM"}}
	}
	return listing.SortKeys(orders, record.PeriodKeys, page.Key{Name: "id", SQL: "p.id", Kind: page.Int})
}

// periodTexts returns the texts among the conditions.
func periodTexts(f record.PeriodFilter, teamID int64) []record.FilterText {
	texts := []record.FilterText{record.FilterOn("agentCode", f.AgentCode), record.FilterOf(record.PayStatusTable, "payStatus", f.PayStatus), record.FilterOn("uplineAgentCode", f.UplineAgentCode)}
	if f.Level != nil && teamID != 0 {
		texts = append(texts, record.FilterOf(record.LevelTable(teamID), "level", new(strconv.Itoa(*f.Level))))
	}
	return texts
}
