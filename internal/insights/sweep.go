package insights

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/store"
)

// fewAgents is the number of agents up to which looking them up one by one is better.
const fewAgents = 100

// sweeping prepares the context of a run about much of the agency: all of it, or a large
// downline (store.Sweeping). PostgreSQL cannot guess the size of a downline; the
// hierarchy knows it.
func (r *Run) sweeping(ctx context.Context) (context.Context, error) {
	if !r.postgres || !r.Query.Scoped {
		return ctx, nil
	}
	if r.scope.kind != agency {
		var below int64
		_, err := store.One(ctx, r.q, []any{&below}, "SELECT downline_count FROM hierarchy_node WHERE tenant_id = $1 AND team_id = $2 AND agent_id = $3", r.Tenant.ID, r.team, r.scope.root)
		if err != nil || below < fewAgents {
			return ctx, err
		}
	}
	return store.Sweeping(ctx), nil
}
