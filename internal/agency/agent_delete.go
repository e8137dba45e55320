package agency

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// DeleteAgent "permanently removes the agent and related data": addresses, phones, payee,
// certifications and every history. It is "rejected for an agent who has been paid
// commissions" (Endpoints, Agents). It is also rejected while the agent is somebody's
// direct upline today or on a later day, unless newUpline names the agent that takes over
// from today. Past periods of other agents keep the agent's code. The application that
// became the agent stays, with the contract that was signed in it.
func (e *editor) DeleteAgent(ctx context.Context, code string, newUpline *string, initiator string) (id int64, err error) {
	var c record.Check
	initiator = c.Initiator(initiator)
	newUpline = c.Optional(newUpline, check.MaxAgentCode, "newUplineAgentCode")
	if err := c.Err(); err != nil {
		return 0, err
	}
	err = e.writer.Write(ctx, initiator, false, func(ctx context.Context, w *record.Writing) error {
		d := deletion{Writing: w, code: code}
		if err := d.run(ctx, newUpline); err != nil {
			return err
		}
		id = d.agentID
		return uplinesChanged(ctx, w, d.teamID, append(d.directReports(), d.agentID)...)
	})
	return id, err
}

// deletion is the removal of one agent while it is under way.
type deletion struct {
	*record.Writing
	code            string
	teamID, agentID int64
	// reports are the periods in which others report to the agent; heir is the agent that
	// takes over.
	reports []reportPeriod
	heir    uplineRef
}

// run removes the agent. The hierarchy is told afterwards (uplinesChanged).
func (d *deletion) run(ctx context.Context, newUpline *string) error {
	if err := d.lock(ctx); err != nil {
		return err
	}
	if err := d.check(ctx, newUpline); err != nil {
		return err
	}
	application, err := d.lockApplication(ctx)
	if err != nil {
		return err
	}
	if err := d.takeOver(ctx); err != nil {
		return err
	}
	if application != "" {
		if err := d.leaveApplication(ctx, application); err != nil {
			return err
		}
	}
	_, err = d.Exec(ctx, "UPDATE agency_upline_period SET upline_agent_id = NULL, deleted_upline_code = $1 WHERE tenant_id = $2 AND upline_agent_id = $3", d.code, d.Tenant.ID, d.agentID)
	if err != nil {
		return err
	}
	if err := idempotency.Forget(ctx, d.Tx, d.Tenant.ID, d.agentID); err != nil {
		return err
	}
	keys, err := keysOf(ctx, d.Writing, d.Tenant.ID, []int64{d.agentID})
	if err := record.FirstOf(err, d.RemoveKeys(ctx, keys...)); err != nil {
		return err
	}
	if err := d.ForgetPast(ctx, d.Tenant.ID, d.agentID); err != nil {
		return err
	}
	if _, err := d.Exec(ctx, "DELETE FROM agency_agent WHERE tenant_id = $1 AND id = $2", d.Tenant.ID, d.agentID); err != nil {
		return err
	}
	d.NoteAgent(d.agentID, d.code, record.Removed)
	return nil
}

// lockApplication locks the application that became the agent; it is empty if none did.
func (d *deletion) lockApplication(ctx context.Context) (uid string, err error) {
	var last time.Time
	found, err := store.One(ctx, d, []any{&uid, &last}, "SELECT uid, last_modified FROM onboarding_application WHERE tenant_id = $1 AND agent_id = $2"+d.ForUpdate(), d.Tenant.ID, d.agentID)
	if found {
		d.StampAfter(last)
	}
	return uid, err
}

// leaveApplication clears the link from the application. It gets an audit entry and an event
// of its own.
func (d *deletion) leaveApplication(ctx context.Context, uid string) error {
	_, err := d.Exec(ctx, "UPDATE onboarding_application SET agent_id = NULL, last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND uid = $4", d.Now, d.Initiator, d.Tenant.ID, uid)
	d.NoteApplication(uid)
	return err
}

// lock locks the hierarchy before the agent, so that no other change of uplines runs
// while this one finds out who reports to the agent.
func (d *deletion) lock(ctx context.Context) (err error) {
	if d.teamID, err = record.TeamID(ctx, d, record.DefaultTeam); err != nil {
		return err
	}
	if err := hierarchy.Lock(ctx, d.Tx, d.teamID); err != nil {
		return err
	}
	d.agentID, err = d.LockAgentFor(ctx, d.ForDelete(), d.code)
	return err
}

func (d *deletion) check(ctx context.Context, newUpline *string) (err error) {
	if d.reports, err = d.readReports(ctx); err != nil {
		return err
	}
	var (
		refused problem.List
		one     int
	)
	paid, err := store.One(ctx, d, []any{&one}, "SELECT 1 FROM insights_commission_payment WHERE tenant_id = $1 AND agent_id = $2 LIMIT 1", d.Tenant.ID, d.agentID)
	if err != nil {
		return err
	}
	if paid {
		// "Rejected so payment history stays intact" (Errors, 6).
		refused.Add(problem.Clash(problem.AgentHasCommissions, "The agent has been paid commissions"))
	}
	if newUpline == nil && len(d.reports) > 0 {
		refused.Add(problem.Clash(problem.AgentHasDownline, "The agent is the direct upline of other agents, today or on a later day").
			With("directReports", len(d.directReports())))
	}
	problems, fault := record.AsProblems(d.checkHeir(ctx, newUpline))
	if fault != nil {
		return fault
	}
	return append(refused, problems...).Err()
}

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
