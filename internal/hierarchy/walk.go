package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// walk writes the relations r that walking the periods finds, down from agents or up from
// them: columns ancestor_id, descendant_id and level, and of the last step the upline_id
// and the first day since. It returns the FROM and WHERE clauses. isStart returns the
// condition that a column is the id of one of the agents. CROSS JOIN makes SQLite read the
// periods of each agent that was found, and not the agents of each period.
func (v View) walk(s *store.SQL, tenantID int64, up bool, isStart func(column string) string, levels Range) string {
	lowest, highest := levels.bounds()
	limit, period := s.Arg(highest), v.periods(s, tenantID)
	start, ancestor, descendant, next := "p.upline_agent_id", "r.ancestor_id", "p.agent_id", "p.upline_agent_id = r.descendant_id"
	if up {
		period += " AND p.upline_agent_id IS NOT NULL"
		start, ancestor, descendant, next = "p.agent_id", "p.upline_agent_id", "r.descendant_id", "p.agent_id = r.ancestor_id"
	}
	s.Write(`WITH RECURSIVE r(ancestor_id, descendant_id, level, upline_id, since) AS (
			SELECT p.upline_agent_id, p.agent_id, 1, p.upline_agent_id, p.effective_from FROM ` + period + ` AND ` + isStart(start) + `
			` + v.union() + `
			SELECT ` + ancestor + `, ` + descendant + `, r.level + 1, p.upline_agent_id, p.effective_from FROM r CROSS JOIN ` + period + ` AND ` + next + ` AND r.level < ` + limit + `
		) `)
	return " FROM r WHERE r.level >= " + s.Arg(lowest) + " AND r.level <= " + limit
}

// union adds the steps of a walk. The database guarantees that live periods of one agent
// do not overlap, so a walk reaches nobody twice on one level; for what was known
// earlier, only the code guarantees it.
func (v View) union() string {
	if v.Known.At() == nil {
		return "UNION ALL"
	}
	return "UNION"
}

// periods returns a FROM and WHERE clause for the periods p that the view walks.
func (v View) periods(s *store.SQL, tenantID int64) string {
	return "agency_upline_period p WHERE p.tenant_id = " + s.Arg(tenantID) + " AND p.team_id = " + s.Arg(v.TeamID) + " AND " + v.Covers("p", s.Arg)
}

// Link is one step of an upline chain.
type Link struct {
	AgentID int64
	// Level is the distance from the agent to whom the chain belongs.
	Level int
	// Since is the first day of the period by which it is the upline of the step below.
	Since date.Date
}

// Chain returns the uplines of agents, nearest first, up to a level; it leaves out agents
// without uplines. It always reads the periods, in one statement for all agents.
func (v View) Chain(ctx context.Context, q store.Querier, agentIDs []int64, highest int) (map[int64][]Link, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	v.WriteChain(&s, q, tenantID, s.Arg(q.List(agentIDs)), highest, "r.descendant_id, r.ancestor_id, r.level, r.since")
	s.Write(" ORDER BY r.descendant_id, r.level")
	return collectByRoot(ctx, q, func(row store.Scanner) (l Link, err error) {
		err = row.Scan(&l.AgentID, &l.Level, &l.Since)
		return l, err
	}, &s)
}

// WriteChain writes a SELECT of columns of the links r – descendant_id, ancestor_id, level
// and since – of agents' chains, up to a level. A placeholder holds the ids of the agents.
func (v View) WriteChain(s *store.SQL, q store.Querier, tenantID int64, agents string, highest int, columns string) {
	from := v.walk(s, tenantID, true, func(column string) string { return q.In(column, agents) }, Range{Max: &highest})
	s.Write("SELECT " + columns + from)
}
