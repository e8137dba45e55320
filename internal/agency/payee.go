package agency

import (
	"context"
	"time"

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
func (s *Service) ApplyPayStatus(ctx context.Context, in PayStatusPeriodInput, dryRun bool) (change Change, err error) {
	var c inputCheck
	in.Initiator = c.Initiator(in.Initiator)
	in.AgentCode = c.Required(in.AgentCode, maxText, "agentCode")
	in.Status = c.Required(in.Status, maxText, "status")
	c.period(in.EffectiveFrom, in.EffectiveThrough)
	if err := c.Err(); err != nil {
		return Change{}, err
	}
	err = s.write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *writing) error {
		agentID, err := w.lockAgent(ctx, in.AgentCode, "agentCode")
		if err != nil {
			return err
		}
		var refused problem.List
		if err := w.mustRefer(ctx, &refused, payStatusTable, in.Status, "status"); err != nil {
			return err
		}
		if err := refused.Err(); err != nil {
			return err
		}
		plan, id, err := payStatusTimeline(agentID).apply(ctx, w, history.Period[string]{From: in.EffectiveFrom, Through: in.EffectiveThrough, Value: in.Status})
		if err != nil {
			return err
		}
		change = describe(plan, id, plainText)
		change.field = "status"
		change.warnEligibility(in.EffectiveFrom, w.Today)
		return w.touchChanged(ctx, agentID, change)
	})
	return change, err
}

// touchChanged moves an agent's lastModified when a history changed.
func (w *writing) touchChanged(ctx context.Context, agentID int64, changes ...Change) error {
	var fields []string
	for _, c := range changes {
		if c.Changed {
			fields = append(fields, c.field)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return w.touchAgent(ctx, agentID, fields...)
}

// PayStatusOn is an agent's pay status on a day.
type PayStatusOn struct {
	AgentID   int64
	Status    string
	IsActive  bool
	CanBePaid bool
}

// PayStatusesOn reads the pay status of agents on a day; agents without one
// are left out.
func (s *Service) PayStatusesOn(ctx context.Context, agentIDs []int64, asOf history.AsOf) (map[int64]*PayStatusOn, error) {
	return readMap(ctx, s.store, func(r store.Scanner) (*PayStatusOn, error) {
		p := new(PayStatusOn)
		return p, r.Scan(&p.AgentID, &p.Status, &p.IsActive, &p.CanBePaid)
	}, func(p *PayStatusOn) int64 { return p.AgentID }, func(q *store.SQL, tenant string) {
		q.Write("SELECT p.agent_id, p.status, s.is_active, s.can_be_paid FROM agency_pay_status_period p" +
			" JOIN agency_pay_status s ON s.tenant_id = p.tenant_id AND s.name = p.status WHERE p.tenant_id = " + tenant +
			" AND " + s.store.In("p.agent_id", q.Arg(s.store.List(agentIDs))) + " AND " + asOf.Covers("p", q.Arg))
	})
}

// Period is what the rows of every history of an agent have in common.
type Period struct {
	ID               int64
	AgentID          int64
	EffectiveFrom    date.Date
	EffectiveThrough *date.Date
	RecordedAt       time.Time
	RecordedBy       string
	// SupersededAt is when a later change replaced the row; nil while it holds.
	SupersededAt *time.Time
	agentCode    string
}

// RowID is the id of the row.
func (p *Period) RowID() int64 { return p.ID }

// AgentCode is the code of the agent whose row it is.
func (p *Period) AgentCode() string { return p.agentCode }

const periodColumns = "p.id, p.agent_id, p.effective_from, p.effective_through, p.recorded_at, p.recorded_by, p.superseded_at, a.code"

func (p *Period) dest() []any {
	return []any{&p.ID, &p.AgentID, &p.EffectiveFrom, &p.EffectiveThrough, &p.RecordedAt, &p.RecordedBy, &p.SupersededAt, &p.agentCode}
}

// PeriodFilter are the conditions of a list of periods; nil ones do not count.
type PeriodFilter struct {
	AgentCode       *string
	PayStatus       *string // pay status periods only
	UplineAgentCode *string // upline periods only
	Level           *int    // level periods only
	// From and Through select the periods that overlap these days.
	From, Through *date.Date
	ModifiedSince *time.Time
	// Known selects the history as it was known at an instant.
	Known history.Known
	// ids selects rows by id, superseded ones too: a row that a change just wrote
	// may have been replaced by another one already.
	ids []int64
}

func (s *Service) periodConditions(q *store.SQL, f PeriodFilter) {
	if f.ids != nil {
		q.Write(" AND " + s.store.In("p.id", q.Arg(s.store.List(f.ids))))
	} else {
		q.Write(" AND " + f.Known.Condition("p", q.Arg))
	}
	if f.AgentCode != nil {
		q.Write(" AND a.code = ?", *f.AgentCode)
	}
	if f.From != nil {
		q.Write(" AND (p.effective_through IS NULL OR p.effective_through >= ?)", *f.From)
	}
	if f.Through != nil {
		q.Write(" AND p.effective_from <= ?", *f.Through)
	}
	if f.ModifiedSince != nil {
		q.Write(" AND p.recorded_at >= ?", *f.ModifiedSince)
	}
}

// PayStatusPeriod is a row of the pay status history.
type PayStatusPeriod struct {
	Period
	Status string
}

// PayStatusPeriods is the pay status history across agents.
func (s *Service) PayStatusPeriods(ctx context.Context, f PeriodFilter, orders []listing.Order) (listing.List[*PayStatusPeriod], error) {
	tenantID, err := checkFilter(ctx, f.texts()...)
	from := func(j join) func(q *store.SQL) {
		return func(q *store.SQL) {
			q.Write(j.periodsOf("agency_pay_status_period")+" WHERE p.tenant_id = ?", tenantID)
			s.periodConditions(q, f)
			if f.PayStatus != nil {
				q.Write(" AND p.status = ?", *f.PayStatus)
			}
		}
	}
	keys := periodOrder(orders)
	return listing.List[*PayStatusPeriod]{
		Store: s.store, Name: "payStatusPeriods", Owner: "p.agent_id", Keys: keys, Columns: periodColumns + ", p.status",
		From: from(anyhow), Whole: s.inOrder(keys, f, from),
		Scan: func(r store.Scanner) (*PayStatusPeriod, error) {
			p := new(PayStatusPeriod)
			return p, r.Scan(append(p.dest(), &p.Status)...)
		},
		Place: func(p *PayStatusPeriod, key string) any { return p.place(key) }, Kept: s.totals.Of(ctx),
	}, err
}

// asProblems splits what a caller can act on from a fault of the server.
func asProblems(err error) (problem.List, error) {
	if list := problem.From(err); list != nil {
		return list, nil
	}
	return nil, err
}
