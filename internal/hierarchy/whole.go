package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

// flattenAll computes the hierarchy from all periods of today, and writes the rows that
// differ; if half of them do, it writes all anew.
func (f flattening) flattenAll(ctx context.Context, tx *store.Tx, agents, relations int) (int, int, error) {
	built := make(map[int64]node, agents)
	if _, err := store.Collect(ctx, tx, scanNode(built), selectNode, f.tenantID, f.teamID); err != nil {
		return 0, 0, err
	}
	places, err := f.allPlaces(ctx, tx, agents)
	if err != nil {
		return 0, 0, err
	}
	for id := range built {
		if _, ok := places[id]; !ok {
			places[id] = place{}
		}
	}
	c := diff(built, places, nil)
	agents = len(built) + c.agents(built)
	relations += len(c.added) - len(c.removed)
	if len(c.added)+len(c.removed) < relations/2 {
		return agents, relations, f.apply(ctx, tx, c)
	}
	if len(built) > 0 {
		c = diff(nil, places, nil)
	}
	return agents, relations, f.rewrite(ctx, tx, c)
}

// allPlaces reads the places that the periods give today, in one statement and so as of
// one instant.
func (f flattening) allPlaces(ctx context.Context, q store.Querier, agents int) (map[int64]place, error) {
	places := make(map[int64]place, agents)
	_, err := store.Collect(ctx, q, func(row store.Scanner) (struct{}, error) {
		var id int64
		p := place{held: true}
		err := row.Scan(&id, &p.upline)
		places[id] = p
		return struct{}{}, err
	}, "SELECT p.agent_id, coalesce(p.upline_agent_id, 0) FROM agency_upline_period p WHERE p.tenant_id = $1 AND p.team_id = $2 AND "+history.Covers("p", "$3"),
		f.tenantID, f.teamID, f.today)
	return places, err
}
