package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// CheckCycles is CheckCycle for many agents whose periods are already written: it judges
// the result, whatever the order in which the periods were written. It returns the
// problem of each agent that is above itself on a day from from on.
//
// Call it after Lock, in the transaction that wrote the periods.
func CheckCycles(ctx context.Context, q store.Querier, teamID int64, agentIDs []int64, from date.Date) (map[int64]*problem.Error, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	byDay := map[date.Date][]int64{}
	found, err := store.Collect(ctx, q, func(row store.Scanner) (struct{}, error) {
		var (
			id int64
			on date.Date
		)
		err := row.Scan(&id, &on)
		byDay[on] = append(byDay[on], id)
		return struct{}{}, err
	}, firstCircularDays(q), tenantID, teamID, q.List(agentIDs), from, date.Max)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	problems := map[int64]*problem.Error{}
	for on, ids := range byDay {
		if err := circles(ctx, q, tenantID, View{TeamID: teamID, AsOf: history.AsOf{Day: on}}, ids, problems); err != nil {
			return nil, err
		}
	}
	return problems, nil
}

// circles adds the problems of agents that are above themselves on the view's day.
func circles(ctx context.Context, q store.Querier, tenantID int64, v View, agentIDs []int64, problems map[int64]*problem.Error) error {
	chains, err := v.Chain(ctx, q, agentIDs, maxLevel)
	if err != nil {
		return err
	}
	for _, id := range agentIDs {
		cycle := []int64{id}
		for _, link := range chains[id] {
			if link.AgentID == id {
				break
			}
			cycle = append(cycle, link.AgentID)
		}
		codes, err := agentCodes(ctx, q, tenantID, cycle)
		if err != nil {
			return err
		}
		problems[id] = circular(codes, v.Day)
	}
	return nil
}

// firstCircularDays is firstCircularDay for several agents at once, each up to itself:
// its own periods are among those that are followed. The plus sign and CROSS JOIN tell
// SQLite where to begin; otherwise it would read every period of the team for each step.
func firstCircularDays(q store.Querier) string {
	return `
WITH RECURSIVE walk(start_id, agent_id, from_day, through_day) AS (
	SELECT p.agent_id, p.upline_agent_id,
		CASE WHEN p.effective_from > $4 THEN p.effective_from ELSE $4 END,
		CASE WHEN p.effective_through < $5 THEN p.effective_through ELSE $5 END
	FROM agency_upline_period p
	WHERE p.tenant_id = $1 AND p.team_id = $2 AND ` + q.In("p.agent_id", "$3") + ` AND p.superseded_at IS NULL AND +p.upline_agent_id IS NOT NULL
		AND (p.effective_through IS NULL OR p.effective_through >= $4)
	UNION
	SELECT w.start_id, p.upline_agent_id,
		CASE WHEN p.effective_from > w.from_day THEN p.effective_from ELSE w.from_day END,
		CASE WHEN p.effective_through < w.through_day THEN p.effective_through ELSE w.through_day END
	FROM walk w CROSS JOIN agency_upline_period p
	WHERE p.tenant_id = $1 AND p.team_id = $2 AND p.agent_id = w.agent_id AND p.superseded_at IS NULL AND p.upline_agent_id IS NOT NULL
		AND p.effective_from <= w.through_day AND (p.effective_through IS NULL OR p.effective_through >= w.from_day)
		AND w.agent_id <> w.start_id
)
SELECT start_id, min(from_day) FROM walk WHERE agent_id = start_id GROUP BY start_id ORDER BY start_id`
}
