package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Subtree describes an agent with everyone below it, on a day.
type Subtree struct {
	// UplineID is the agent's direct upline; 0 for a root.
	UplineID int64
	// Depth is the agent's distance from its root, Height its greatest distance to an
	// agent below.
	Depth, Height int
	// Size counts the agent and everyone below it.
	Size int
}

// Subtrees reads the subtrees of agents on a day, with two statements. It reads the
// periods even for today, since the flattened rows do not include a change under way.
func Subtrees(ctx context.Context, q store.Querier, teamID int64, on date.Date, agentIDs []int64) (map[int64]Subtree, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	v := View{TeamID: teamID, AsOf: history.AsOf{Day: on}, Today: on.AddDays(-1)}
	chains, err := v.Chain(ctx, q, agentIDs, maxLevel)
	if err != nil {
		return nil, err
	}
	trees := make(map[int64]Subtree, len(agentIDs))
	for _, id := range agentIDs {
		t := Subtree{Depth: len(chains[id]), Size: 1}
		if t.Depth > 0 {
			t.UplineID = chains[id][0].AgentID
		}
		trees[id] = t
	}
	var s store.SQL
	from := v.below(&s, tenantID, among(q, &s, page.Owners{IDs: agentIDs}), Range{})
	s.Write("SELECT r.ancestor_id, count(*), max(r.level)" + from + " GROUP BY r.ancestor_id")
	_, err = store.Collect(ctx, q, func(row store.Scanner) (struct{}, error) {
		var (
			id            int64
			below, height int
		)
		err := row.Scan(&id, &below, &height)
		t := trees[id]
		t.Size, t.Height = 1+below, height
		trees[id] = t
		return struct{}{}, err
	}, s.Text(), s.Args()...)
	return trees, err
}

// CountSubtrees counts the agents in several agents' subtrees on a day, each agent once.
func CountSubtrees(ctx context.Context, q store.Querier, teamID int64, on date.Date, agentIDs []int64) (n int, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	_, err = store.One(ctx, q, []any{&n}, `
		WITH RECURSIVE r(agent_id) AS (
			SELECT a.id FROM agency_agent a WHERE a.tenant_id = $1 AND `+q.In("a.id", "$3")+`
			UNION
			SELECT p.agent_id FROM r CROSS JOIN agency_upline_period p
			WHERE p.tenant_id = $1 AND p.team_id = $2 AND p.upline_agent_id = r.agent_id AND `+history.Covers("p", "$4")+`
		)
		SELECT count(*) FROM r`, tenantID, teamID, q.List(agentIDs), on)
	return n, err
}
