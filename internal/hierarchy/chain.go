package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Link is one step of an upline chain.
type Link struct {
	AgentID int64
	// Level is the distance from the agent whose chain it is.
	Level int
	// Since is the first day of the period that makes it the upline of the
	// step below.
	Since date.Date
}

// Chain returns the uplines of agents, nearest first, up to a level; agents
// without one are left out. It is always read from the periods, in one
// statement for all agents.
func (v View) Chain(ctx context.Context, q store.Querier, agentIDs []int64, highest int) (map[int64][]Link, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	chains := make(map[int64][]Link, len(agentIDs))
	statement := v.chain(q, tenantID, agentIDs, min(highest, maxLevel))
	_, err = store.Collect(ctx, q, func(row store.Scanner) (struct{}, error) {
		var (
			id int64
			l  Link
		)
		err := row.Scan(&id, &l.AgentID, &l.Level, &l.Since)
		chains[id] = append(chains[id], l)
		return struct{}{}, err
	}, statement.Text(), statement.Args()...)
	return chains, err
}

func (v View) chain(q store.Querier, tenantID int64, agentIDs []int64, highest int) *store.SQL {
	var s store.SQL
	period := "p.tenant_id = " + s.Arg(tenantID) + " AND p.team_id = " + s.Arg(v.TeamID)
	isOwner := q.In("p.agent_id", s.Arg(q.List(agentIDs)))
	covers, limit := v.Covers("p", s.Arg), s.Arg(highest)
	return s.Write(`
		WITH RECURSIVE c(agent_id, upline_id, level, since) AS (
			SELECT p.agent_id, p.upline_agent_id, 1, p.effective_from FROM agency_upline_period p
			WHERE ` + period + ` AND ` + isOwner + ` AND p.upline_agent_id IS NOT NULL AND ` + covers + `
			UNION ALL
			SELECT c.agent_id, p.upline_agent_id, c.level + 1, p.effective_from FROM c CROSS JOIN agency_upline_period p
			WHERE ` + period + ` AND p.agent_id = c.upline_id AND p.upline_agent_id IS NOT NULL AND ` + covers + `
				AND c.level < ` + limit + `
		)
		SELECT agent_id, upline_id, level, since FROM c WHERE level <= ` + limit + ` ORDER BY agent_id, level`)
}
