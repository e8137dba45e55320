package agency

import (
	"context"
	"fmt"
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// reportPeriod is a range of days, today or later, on which another agent reports to the
// one that is deleted.
type reportPeriod struct {
	agentID int64
	from    date.Date
	through *date.Date
}

func (d *deletion) readReports(ctx context.Context) ([]reportPeriod, error) {
	return store.Collect(ctx, d, func(row store.Scanner) (p reportPeriod, err error) {
		err = row.Scan(&p.agentID, &p.from, &p.through)
		p.from = max(p.from, d.Today)
		return p, err
	}, `SELECT agent_id, effective_from, effective_through FROM agency_upline_period
		WHERE tenant_id = $1 AND team_id = $2 AND upline_agent_id = $3 AND superseded_at IS NULL AND (effective_through IS NULL OR effective_through >= $4)
		ORDER BY agent_id, effective_from`, d.Tenant.ID, d.teamID, d.agentID, d.Today)
}

// directReports returns the ids of the agents of these periods, each once, in ascending
// order.
func (d *deletion) directReports() []int64 {
	ids := make([]int64, len(d.reports))
	for i, p := range d.reports {
		ids[i] = p.agentID
	}
	return slices.Compact(ids)
}

// heirField is the field in which a request names the agent that takes over.
const heirField = "newUplineAgentCode"

// checkHeir finds the agent that takes over. It is neither the deleted agent nor one that
// would then report to itself, and it takes over no more than maxTakenOver agents.
func (d *deletion) checkHeir(ctx context.Context, code *string) (err error) {
	if d.heir, err = uplineOrNone(ctx, d.Writing, code, heirField); err != nil || code == nil {
		return err
	}
	if n := len(d.directReports()); n > maxTakenOver {
		return problem.Invalid(problem.OutOfRange, fmt.Sprintf("cannot take over from more than %d agents at once: "+
			"give the others a new upline first, for instance with reorgApply", maxTakenOver), heirField).With("max", maxTakenOver).With("directReports", n)
	}
	if d.heir.id == d.agentID {
		return d.circle(ctx, d.Today)
	}
	for _, p := range d.reports {
		if p.agentID == d.heir.id {
			return d.circle(ctx, p.from)
		}
	}
	return nil
}

// circle returns the problem of an heir that would be above itself.
func (d *deletion) circle(ctx context.Context, on date.Date) error {
	return record.Renamed(hierarchy.CheckCycle(ctx, d.Tx, d.teamID, d.heir.id, d.heir.id, on, nil), []string{heirField})
}

// takeOver gives each direct report its new upline on the days, from today on, on which
// it reports to the agent. What is past stays as it was.
func (d *deletion) takeOver(ctx context.Context) error {
	agents := d.directReports()
	if len(agents) == 0 {
		return nil
	}
	if _, err := d.LockAgents(ctx, d.In("id", "$2"), d.List(agents)); err != nil {
		return err
	}
	h, err := uplines.Read(ctx, d.Writing, d.teamID, agents...)
	if err != nil {
		return err
	}
	for _, p := range d.reports {
		if _, err := h.Apply(d.Writing, p.agentID, history.Period[uplineRef]{From: p.from, Through: p.through, Value: d.heir}); err != nil {
			return err
		}
	}
	if err := h.Write(ctx, d.Writing); err != nil {
		return err
	}
	circular, err := hierarchy.CheckCycles(ctx, d.Tx, d.teamID, agents, d.Today)
	if err != nil {
		return err
	}
	for _, id := range agents {
		if p := circular[id]; p != nil {
			return record.Renamed(p, []string{heirField})
		}
	}
	return d.TouchAgents(ctx, agents, record.DirectUplineField)
}
