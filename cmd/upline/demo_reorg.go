package main

import (
	"context"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// The demo's reorganisation: the largest of so many teams of the second largest branch
// takes the others over.
const demoReorgTeams = 10

// reorganiseDemo gives the first tenant a reorganisation on the first of July last year,
// so that there is a day on which the hierarchy changes.
func reorganiseDemo(ctx context.Context, a *app.App, t *tenant.Tenant) error {
	day := date.Of(clock.Today(system, t.Zone).Time().Year()-1, time.July, 1)
	// Only agents whose upline has not changed since before that day are moved: what
	// became of the others later stays as it is.
	teams, err := store.Collect(ctx, a.Store, store.ScanOne[string], `SELECT a.code FROM hierarchy_node n
		JOIN agency_agent a ON a.tenant_id = n.tenant_id AND a.id = n.agent_id
		JOIN agency_upline_period p ON p.tenant_id = n.tenant_id AND p.team_id = n.team_id AND p.agent_id = n.agent_id AND p.superseded_at IS NULL AND p.effective_through IS NULL
		WHERE n.tenant_id = $1 AND p.effective_from < $2 AND p.upline_agent_id = (SELECT r.agent_id FROM hierarchy_node r
			WHERE r.tenant_id = $1 AND r.depth = 0 ORDER BY r.downline_count DESC, r.agent_id LIMIT 1 OFFSET 1)
		ORDER BY n.downline_count DESC, a.id LIMIT $3`, t.ID, day, demoReorgTeams)
	if err != nil || len(teams) < 2 {
		return err
	}
	in := agency.Reorganisation{Team: record.DefaultTeam, EffectiveFrom: day, Initiator: "upline"}
	for _, code := range teams[1:] {
		in.Moves = append(in.Moves, agency.Move{AgentCode: code, NewUpline: patch.Set(teams[0])})
	}
	_, err = a.Agency.Reorganise(byOperator(ctx, t, "reorgApply", "upline"), in, false)
	return err
}
