package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// UplineOn is an agent's direct upline on a day.
type UplineOn struct {
	AgentID int64
	// Upline is nil for a root of the hierarchy, and for an upline that has been deleted
	// since.
	Upline *Agent
	// UplineCode is the code of the upline, even of a deleted one; nil for a root.
	UplineCode *string
	Since      date.Date
}

// UplinesOn reads the direct uplines of agents on a day, in one statement. It leaves out
// agents that have no place in the team on that day.
func (s *Service) UplinesOn(ctx context.Context, teamID int64, agentIDs []int64, asOf history.AsOf) (map[int64]*UplineOn, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	byAgent := make(map[int64]*UplineOn, len(agentIDs))
	var q store.SQL
	// An agent without an upline is joined to itself, so that no column is NULL.
	q.Write("SELECT p.agent_id, p.upline_agent_id IS NULL, p.deleted_upline_code, p.effective_from, "+agentColumns+" FROM agency_upline_period p"+
		" JOIN agency_agent a ON a.tenant_id = p.tenant_id AND a.id = CASE WHEN p.upline_agent_id IS NULL THEN p.agent_id ELSE p.upline_agent_id END"+ // of a coalesce, policies keep the index (decision 25)
		" WHERE p.tenant_id = ? AND p.team_id = ? AND ", tenantID, teamID)
	q.Write(s.store.In("p.agent_id", q.Arg(s.store.List(agentIDs))) + " AND " + asOf.Covers("p", q.Arg))
	rows, err := store.Collect(ctx, s.store, scanUplineOn, q.Text(), q.Args()...)
	for _, u := range rows {
		byAgent[u.AgentID] = u
	}
	return byAgent, err
}

func scanUplineOn(r store.Scanner) (*UplineOn, error) {
	u := &UplineOn{Upline: new(Agent)}
	var isNobody bool
	err := r.Scan(append([]any{&u.AgentID, &isNobody, &u.UplineCode, &u.Since}, u.Upline.dest()...)...)
	if isNobody {
		u.Upline = nil
	} else {
		u.UplineCode = &u.Upline.AgentCode
	}
	return u, err
}

// LevelOn is an agent's level on a day.
type LevelOn struct {
	AgentID int64
	Level   int
	Since   date.Date
}

// LevelsOn reads the levels of agents on a day. It leaves out agents without one.
func (s *Service) LevelsOn(ctx context.Context, teamID int64, agentIDs []int64, asOf history.AsOf) (map[int64]*LevelOn, error) {
	return record.ReadMap(ctx, s.store, func(r store.Scanner) (*LevelOn, error) {
		l := new(LevelOn)
		return l, r.Scan(&l.AgentID, &l.Level, &l.Since)
	}, func(l *LevelOn) int64 { return l.AgentID }, func(q *store.SQL, tenant string) {
		q.Write("SELECT p.agent_id, p.level, p.effective_from FROM agency_level_period p WHERE p.tenant_id = " + tenant + " AND p.team_id = " + q.Arg(teamID) +
			" AND " + s.store.In("p.agent_id", q.Arg(s.store.List(agentIDs))) + " AND " + asOf.Covers("p", q.Arg))
	})
}

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
	tenantID, err := record.CheckFilter(ctx, f.Texts()...)
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
	tenantID, err := record.CheckFilter(ctx, f.Texts()...)
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
