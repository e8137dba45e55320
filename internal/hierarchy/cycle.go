package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// CheckCycle refuses an upline that would be below its own agent: "circular hierarchy" is
// rejected (specification, Errors, 7). It looks at every day from from through through
// (nil for an open end), following the chain above the upline through past and future
// periods. The problem is CIRCULAR_HIERARCHY. Its details name the agents of the cycle,
// each below the next and the last below the first, and the first day on which it would
// exist.
//
// Call it after Lock, in the transaction that stores the period.
func CheckCycle(ctx context.Context, q store.Querier, teamID, agentID, uplineID int64, from date.Date, through *date.Date) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	if agentID == uplineID {
		return refuseCircle(ctx, q, tenantID, []int64{agentID}, from)
	}
	var on date.Date
	found, err := store.One(ctx, q, []any{&on}, firstCircularDay, tenantID, teamID, uplineID, from, date.OrMax(through), agentID)
	if err != nil || !found {
		return err
	}
	chains, err := View{TeamID: teamID, AsOf: history.AsOf{Day: on}}.Chain(ctx, q, []int64{uplineID}, maxLevel)
	if err != nil {
		return err
	}
	cycle := []int64{agentID, uplineID}
	for _, link := range chains[uplineID] {
		if link.AgentID == agentID {
			break
		}
		cycle = append(cycle, link.AgentID)
	}
	return refuseCircle(ctx, q, tenantID, cycle, on)
}

// firstCircularDay walks up from agent $3 over the days $4 to $5. Each step keeps the
// days that its period shares with the step below, so a row of walk means: on these days
// this agent is above $3. UNION drops rows that were already found, so the walk ends on
// any data.
const firstCircularDay = `
WITH RECURSIVE walk(agent_id, from_day, through_day) AS (
	SELECT p.upline_agent_id,
		CASE WHEN p.effective_from > $4 THEN p.effective_from ELSE $4 END,
		CASE WHEN p.effective_through < $5 THEN p.effective_through ELSE $5 END
	FROM agency_upline_period p
	WHERE p.tenant_id = $1 AND p.team_id = $2 AND p.agent_id = $3 AND p.superseded_at IS NULL AND p.upline_agent_id IS NOT NULL
		AND p.effective_from <= $5 AND (p.effective_through IS NULL OR p.effective_through >= $4)
	UNION
	SELECT p.upline_agent_id,
		CASE WHEN p.effective_from > w.from_day THEN p.effective_from ELSE w.from_day END,
		CASE WHEN p.effective_through < w.through_day THEN p.effective_through ELSE w.through_day END
	FROM walk w JOIN agency_upline_period p
		ON p.tenant_id = $1 AND p.team_id = $2 AND p.agent_id = w.agent_id AND p.superseded_at IS NULL AND p.upline_agent_id IS NOT NULL
		AND p.effective_from <= w.through_day AND (p.effective_through IS NULL OR p.effective_through >= w.from_day)
	WHERE w.agent_id <> $6
)
SELECT from_day FROM walk WHERE agent_id = $6 ORDER BY from_day LIMIT 1`

func refuseCircle(ctx context.Context, q store.Querier, tenantID int64, cycle []int64, on date.Date) error {
	codes, err := agentCodes(ctx, q, tenantID, cycle)
	if err != nil {
		return err
	}
	return circular(codes, on)
}

// circular returns the problem of a cycle, given its agents, each below the next.
func circular(cycle []string, on date.Date) *problem.Error {
	return problem.Invalid(problem.CircularHierarchy, "The upline is below the agent on a day of the period", "uplineAgentCode").
		With("cycle", cycle).With("onDate", on.String())
}

// agentCodes returns the codes of agents, in the order of the given ids.
func agentCodes(ctx context.Context, q store.Querier, tenantID int64, ids []int64) ([]string, error) {
	type agent struct {
		id   int64
		code string
	}
	agents, err := store.Collect(ctx, q, func(row store.Scanner) (a agent, err error) {
		err = row.Scan(&a.id, &a.code)
		return a, err
	}, "SELECT id, code FROM agency_agent WHERE tenant_id = $1 AND "+q.In("id", "$2"), tenantID, q.List(ids))
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]string, len(agents))
	for _, a := range agents {
		byID[a.id] = a.code
	}
	codes := make([]string, len(ids))
	for i, id := range ids {
		codes[i] = byID[id]
	}
	return codes, nil
}
