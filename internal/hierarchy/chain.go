package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/tenant"
)

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
	chains := make(map[int64][]Link, len(agentIDs))
	var s store.SQL
	v.WriteChain(&s, q, tenantID, s.Arg(q.List(agentIDs)), highest, "agent_id, upline_id, level, since")
	s.Write(" ORDER BY agent_id, level")
	_, err = store.Collect(ctx, q, func(row store.Scanner) (struct{}, error) {
		var (
			id int64
			l  Link
		)
		err := row.Scan(&id, &l.AgentID, &l.Level, &l.Since)
		chains[id] = append(chains[id], l)
		return struct{}{}, err
	}, s.Text(), s.Args()...)
	return chains, err
}

// WriteChain writes a SELECT of columns of the links c – agent_id, upline_id, level and
// since – of agents' chains, up to a level. A placeholder holds the ids of the agents.
func (v View) WriteChain(s *store.SQL, q store.Querier, tenantID int64, agents string, highest int, columns string) {
	period := "p.tenant_id = " + s.Arg(tenantID) + " AND p.team_id = " + s.Arg(v.TeamID)
	covers, limit := v.Covers("p", s.Arg), s.Arg(min(highest, maxLevel))
	s.Write(`
		WITH RECURSIVE c(agent_id, upline_id, level, since) AS (
			SELECT p.agent_id, p.upline_agent_id, 1, p.effective_from FROM agency_upline_period p
			WHERE ` + period + ` AND ` + q.In("p.agent_id", agents) + ` AND p.upline_agent_id IS NOT NULL AND ` + covers + `
			UNION ALL
			SELECT c.agent_id, p.upline_agent_id, c.level + 1, p.effective_from FROM c CROSS JOIN agency_upline_period p
			WHERE ` + period + ` AND p.agent_id = c.upline_id AND p.upline_agent_id IS NOT NULL AND ` + covers + `
				AND c.level < ` + limit + `
		)
		SELECT ` + columns + ` FROM c WHERE level <= ` + limit)
}
