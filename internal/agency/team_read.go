package agency

import (
	"context"
	"strconv"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
)

// UplinePeriod is a row of the direct upline history.
type UplinePeriod struct {
	record.Period
	// UplineID is nil for a root, and for an upline that has been deleted since.
	UplineID *int64
	// UplineAgentCode is the code of the upline, even of a deleted one; nil for a root.
	UplineAgentCode *string
}

// UplinePeriods returns the list of direct upline periods of a team.
func (s *Service) UplinePeriods(ctx context.Context, teamID int64, f record.PeriodFilter, orders []listing.Order) (listing.List[*UplinePeriod], error) {
	tenantID, err := record.CheckFilter(ctx, s.store, f.Texts()...)
	keys := record.PeriodOrder(orders)
	from, whole := f.Reads(s.store, keys, func(q *store.SQL, j record.Join) {
		q.Write(j.PeriodsOf("agency_upline_period")+
			" LEFT JOIN agency_agent u ON u.tenant_id = p.tenant_id AND u.id = p.upline_agent_id"+
			" WHERE p.tenant_id = ? AND p.team_id = ?", tenantID, teamID)
		f.Conditions(s.store, q)
		if f.UplineAgentCode != nil {
			q.Write(" AND p.id IN (SELECT b.id FROM agency_upline_period b JOIN agency_agent v ON v.tenant_id = b.tenant_id AND v.id = b.upline_agent_id"+
				" WHERE b.tenant_id = ? AND b.team_id = ? AND v.code = ?", tenantID, teamID, *f.UplineAgentCode)
			q.Write(" UNION ALL SELECT b.id FROM agency_upline_period b WHERE b.tenant_id = ? AND b.team_id = ? AND b.deleted_upline_code = ?)", tenantID, teamID, *f.UplineAgentCode)
		}
	})
	return listing.List[*UplinePeriod]{
		Store: s.store, Name: "uplinePeriods", Owner: "p.agent_id", Keys: keys,
		Columns: record.PeriodColumns + ", p.upline_agent_id, coalesce(u.code, p.deleted_upline_code)",
		From:    from, Whole: whole,
		Scan: func(r store.Scanner) (*UplinePeriod, error) {
			p := new(UplinePeriod)
			return p, r.Scan(append(p.Dest(), &p.UplineID, &p.UplineAgentCode)...)
		},
		Place: func(p *UplinePeriod, key string) any { return p.Place(key) }, Kept: s.totals.Of(ctx), ByValue: f.ByValue(),
	}, err
}

// LevelPeriod is a row of the agent level history.
type LevelPeriod struct {
	record.Period
	Level int
}

// LevelPeriods returns the list of agent level periods of a team.
func (s *Service) LevelPeriods(ctx context.Context, teamID int64, f record.PeriodFilter, orders []listing.Order) (listing.List[*LevelPeriod], error) {
	texts := f.Texts()
	if f.Level != nil {
		texts = append(texts, record.FilterOf(record.LevelTable(teamID), "level", new(strconv.Itoa(*f.Level))))
	}
	tenantID, err := record.CheckFilter(ctx, s.store, texts...)
	keys := record.PeriodOrder(orders)
	from, whole := f.Reads(s.store, keys, func(q *store.SQL, j record.Join) {
		q.Write(j.PeriodsOf("agency_level_period")+
			" WHERE p.tenant_id = ? AND p.team_id = ?", tenantID, teamID)
		f.Conditions(s.store, q)
		if f.Level != nil {
			q.Write(" AND p.level = ?", *f.Level)
		}
	})
	return listing.List[*LevelPeriod]{
		Store: s.store, Name: "levelPeriods", Owner: "p.agent_id", Keys: keys, Columns: record.PeriodColumns + ", p.level",
		From: from, Whole: whole,
		Scan: func(r store.Scanner) (*LevelPeriod, error) {
			p := new(LevelPeriod)
			return p, r.Scan(append(p.Dest(), &p.Level)...)
		},
		Place: func(p *LevelPeriod, key string) any { return p.Place(key) }, Kept: s.totals.Of(ctx), ByValue: f.ByValue(),
	}, err
}
