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
	keys := record.PeriodOrder(orders)
	from, whole := f.Reads(s.store, keys, func(q *store.SQL, j record.Join) {
		q.Write(j.PeriodsOf("agency_upline_period")+
			" LEFT JOIN agency_agent u ON u.tenant_id = p.tenant_id AND u.id = p.upline_agent_id"+
			" WHERE p.tenant_id = ? AND p.team_id = ?", tenantID, teamID)
		f.Conditions(q)
		if f.UplineAgentCode != nil {
			q.Write(" AND p.id IN (SELECT b.id FROM agency_upline_period b JOIN agency_agent v ON v.tenant_id = b.tenant_id AND v.id = b.upline_agent_id"+
				" WHERE b.tenant_id = ? AND b.team_id = ? AND v.code = ?", tenantID, teamID, *f.UplineAgentCode)
			q.Write(" UNION ALL SELECT b.id FROM agency_upline_period b WHERE b.tenant_id = ? AND b.team_id = ? AND b.deleted_upline_code = ?)", tenantID, teamID, *f.UplineAgentCode)
		}
	})
	return listing.Rows{
		Store: s.store, Name: "uplinePeriods", Owner: "p.agent_id", Keys: keys,
		From: from, Whole: whole, Kept: s.totals.Of(ctx), ByValue: f.ByValue(),
	}, err
}

// LevelPeriods returns the list of agent level periods of a team.
func (s *Service) LevelPeriods(ctx context.Context, teamID int64, f record.PeriodFilter, orders []listing.Order) (listing.Rows, error) {
	texts := f.Texts()
	if f.Level != nil {
		texts = append(texts, record.FilterOf(record.LevelTable(teamID), "level", new(strconv.Itoa(*f.Level))))
	}
	tenantID, err := record.CheckFilter(ctx, s.store, texts...)
	keys := record.PeriodOrder(orders)
	from, whole := f.Reads(s.store, keys, func(q *store.SQL, j record.Join) {
		q.Write(j.PeriodsOf("agency_level_period")+
			" WHERE p.tenant_id = ? AND p.team_id = ?", tenantID, teamID)
		f.Conditions(q)
		if f.Level != nil {
			q.Write(" AND p.level = ?", *f.Level)
		}
	})
	return listing.Rows{
		Store: s.store, Name: "levelPeriods", Owner: "p.agent_id", Keys: keys,
		From: from, Whole: whole, Kept: s.totals.Of(ctx), ByValue: f.ByValue(),
	}, err
}
