package agency

import (
	"context"
	"strconv"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
)

// UplinePeriods returns the list of direct upline periods of a team.
func (s *Service) UplinePeriods(ctx context.Context, teamID int64, f record.PeriodFilter, orders []listing.Order) (listing.Rows, error) {
	tenantID, err := record.CheckFilter(ctx, s.store, f.Texts()...)
	list := listing.Rows{Store: s.store, Name: "uplinePeriods", Owner: "p.agent_id", Keys: record.PeriodOrder(orders), Kept: s.totals.Of(ctx), ByValue: f.ByValue()}
	return list.Join(f.Joined(tenantID, "agency_upline_period", func(q *store.SQL) {
		q.Write(" AND p.team_id = ?", teamID)
		if f.UplineAgentCode != nil {
			q.Write(" AND p.id IN (SELECT b.id FROM agency_upline_period b JOIN agency_agent v ON v.tenant_id = b.tenant_id AND v.id = b.upline_agent_id"+
				" WHERE b.tenant_id = ? AND b.team_id = ? AND v.code = ?", tenantID, teamID, *f.UplineAgentCode)
			q.Write(" UNION ALL SELECT b.id FROM agency_upline_period b WHERE b.tenant_id = ? AND b.team_id = ? AND b.deleted_upline_code = ?)", tenantID, teamID, *f.UplineAgentCode)
		}
	}, listing.Table{Name: "agency_agent", Alias: "u", On: "u.id = p.upline_agent_id", Optional: true})), err
}

// LevelPeriods returns the list of agent level periods of a team.
func (s *Service) LevelPeriods(ctx context.Context, teamID int64, f record.PeriodFilter, orders []listing.Order) (listing.Rows, error) {
	texts := f.Texts()
	if f.Level != nil {
		texts = append(texts, record.FilterOf(record.LevelTable(teamID), "level", new(strconv.Itoa(*f.Level))))
	}
	tenantID, err := record.CheckFilter(ctx, s.store, texts...)
	list := listing.Rows{Store: s.store, Name: "levelPeriods", Owner: "p.agent_id", Keys: record.PeriodOrder(orders), Kept: s.totals.Of(ctx), ByValue: f.ByValue()}
	return list.Join(f.Joined(tenantID, "agency_level_period", func(q *store.SQL) {
		q.Write(" AND p.team_id = ?", teamID)
		if f.Level != nil {
			q.Write(" AND p.level = ?", *f.Level)
		}
	})), err
}
