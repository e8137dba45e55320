package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
)

// DeleteAgent "permanently removes the agent and related data": addresses,
// phones, certifications, every history. It is refused while the agent is
// somebody's direct upline on any day from today on, since these would be left
// without one. Past periods of others keep the agent's code.
func (s *Service) DeleteAgent(ctx context.Context, code, initiator string) (id int64, err error) {
	var c check
	initiator = c.initiator(initiator)
	if err := c.err(); err != nil {
		return 0, err
	}
	err = s.write(ctx, initiator, false, func(ctx context.Context, w *writing) error {
		if id, err = w.lockAgentFor(ctx, w.ForDelete(), code); err != nil {
			return err
		}
		if err := w.refuseWithDownline(ctx, id); err != nil {
			return err
		}
		teams, err := store.Collect(ctx, w, store.ScanOne[int64], "SELECT DISTINCT team_id FROM agency_upline_period WHERE tenant_id = $1 AND agent_id = $2", w.tenantID, id)
		if err != nil {
			return err
		}
		_, err = w.Exec(ctx, "UPDATE agency_upline_period SET upline_agent_id = NULL, deleted_upline_code = $1 WHERE tenant_id = $2 AND upline_agent_id = $3", code, w.tenantID, id)
		if err != nil {
			return err
		}
		if _, err := w.Exec(ctx, "DELETE FROM agency_agent WHERE tenant_id = $1 AND id = $2", w.tenantID, id); err != nil {
			return err
		}
		for _, team := range teams {
			if err := hierarchy.Changed(ctx, w.Tx, team, []int64{id}, w.now); err != nil {
				return err
			}
		}
		return nil
	})
	return id, err
}

func (w *writing) refuseWithDownline(ctx context.Context, id int64) error {
	var reports int
	_, err := store.One(ctx, w, []any{&reports}, `SELECT count(DISTINCT agent_id) FROM agency_upline_period
		WHERE tenant_id = $1 AND upline_agent_id = $2 AND superseded_at IS NULL AND (effective_through IS NULL OR effective_through >= $3)`,
		w.tenantID, id, w.today)
	if err == nil && reports > 0 {
		err = problem.Clash(problem.AgentHasDownline, "The agent is the direct upline of other agents, today or on a later day").With("directReports", reports)
	}
	return err
}
