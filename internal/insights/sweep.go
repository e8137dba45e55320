package insights

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/store"
)

// fewAgents are as many as are better looked up one by one.
const fewAgents = 100

// sweeping prepares the context of a run that is about much of the agency: all of it,
// or a downline that is not small (store.Sweeping). How large a downline is PostgreSQL
// cannot guess; the hierarchy knows.
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
