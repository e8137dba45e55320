package payee

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
)

// PayStatusPeriodInput is a pay status for a range of days.
type PayStatusPeriodInput struct {
	AgentCode, Status string
	EffectiveFrom     date.Date
	EffectiveThrough  *date.Date
	Initiator         string
}

// ApplyPayStatus applies a pay status to a range of days under the history
// rules.
func (s *Service) ApplyPayStatus(ctx context.Context, in PayStatusPeriodInput, dryRun bool) (change record.Change, err error) {
	var c record.Check
	in.Initiator = c.Initiator(in.Initiator)
	in.AgentCode = c.Required(in.AgentCode, record.MaxText, "agentCode")
	in.Status = c.Required(in.Status, record.MaxText, "status")
	c.Period(in.EffectiveFrom, in.EffectiveThrough)
	if err := c.Err(); err != nil {
		return record.Change{}, err
	}
	err = s.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		agentID, err := w.LockAgent(ctx, in.AgentCode, "agentCode")
		if err != nil {
			return err
		}
		var refused problem.List
		if err := w.MustRefer(ctx, &refused, record.PayStatusTable, in.Status, "status"); err != nil {
			return err
		}
		if err := refused.Err(); err != nil {
			return err
		}
		plan, id, err := StatusTimeline(agentID).Apply(ctx, w, history.Period[string]{From: in.EffectiveFrom, Through: in.EffectiveThrough, Value: in.Status})
		if err != nil {
			return err
		}
		change = record.Describe(plan, id, record.PlainText)
		change.Field = "status"
		change.WarnEligibility(in.EffectiveFrom, w.Today)
		return w.TouchChanged(ctx, agentID, change)
	})
	return change, err
}

// PayStatusPeriods returns the list of pay status periods of all agents.
func (s *Service) PayStatusPeriods(ctx context.Context, f record.PeriodFilter, orders []listing.Order) (listing.Rows, error) {
	tenantID, err := record.CheckFilter(ctx, s.store, f.Texts()...)
	list := listing.Rows{Store: s.store, Name: "payStatusPeriods", Owner: "p.agent_id", Keys: record.PeriodOrder(orders), Kept: s.totals.Of(ctx), ByValue: f.ByValue()}
	return list.Join(f.Joined(tenantID, "agency_pay_status_period", func(q *store.SQL) {
		if f.PayStatus != nil {
			q.Write(" AND p.status = ?", *f.PayStatus)
		}
	})), err
}

// StatusTimeline describes the pay status history of an agent.
func StatusTimeline(agentID int64) record.Timeline[string] {
	return record.TextTimeline("agency_pay_status_period", "status", record.Column{Name: "agent_id", Value: agentID})
}
