package facts

import (
	"context"
	"iter"
	"time"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// CommissionInput is a commission that was paid to an agent. A payment is never changed
// or removed, "so payment history stays intact" (Errors, 6): a wrong one is taken back by
// a payment of the negative amount.
type CommissionInput struct {
	AgentCode string
	PaidOn    date.Date
	// Amount is a decimal number, not zero.
	Amount string
	// Reference tells payments apart that have the same agent, day and amount, such as
	// the line of a statement.
	Reference *string
}

// CommissionPayment is a commission that was paid, as it is stored.
type CommissionPayment struct {
	ID, AgentID int64
	PaidOn      date.Date
	AmountCents int64  // hundredths of the agency's currency
	Reference   string // empty for none
	RecordedAt  time.Time
	RecordedBy  string
}

const commissionEntity = "CommissionPayment"

// RecordCommissions records payments in one transaction. All properties of a payment
// together are its key, so a known payment is not recorded again, and a batch may be sent
// twice. The outcomes are in the order of the rows; the error is about the batch as a
// whole.
func (s *Service) RecordCommissions(ctx context.Context, rows []CommissionInput, b Batch) ([]Outcome, error) {
	return s.record(ctx, b, func(ctx context.Context, w *change.Writing) ([]Outcome, error) {
		return s.WriteCommissions(ctx, w, rows)
	})
}

// RecordOneCommission records one payment and returns it. There is none after a dry run, or
// if its agent has been deleted meanwhile.
func (s *Service) RecordOneCommission(ctx context.Context, row CommissionInput, b Batch) (*CommissionPayment, Fate, error) {
	done, err := one(s.RecordCommissions(ctx, []CommissionInput{row}, b))
	if err != nil || b.DryRun {
		return nil, done.Fate, err
	}
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, done.Fate, err
	}
	var c factCheck
	_, key := c.commission(row, row.PaidOn)
	p := &CommissionPayment{AgentID: done.AgentID, PaidOn: key.paidOn, AmountCents: int64(key.amount), Reference: key.reference}
	found, err := store.One(ctx, s.store, []any{&p.ID, &p.RecordedAt, &p.RecordedBy}, `SELECT id, recorded_at, recorded_by FROM insights_commission_payment
		WHERE tenant_id = $1 AND agent_id = $2 AND paid_on = $3 AND amount_cents = $4 AND reference = $5`,
		tenantID, p.AgentID, p.PaidOn, p.AmountCents, p.Reference)
	if err != nil || !found {
		return nil, done.Fate, err
	}
	return p, done.Fate, nil
}

// commission is a stored payment: its key.
type commission struct {
	agentID   int64
	paidOn    date.Date
	amount    money.Amount
	reference string
}

// WriteCommissions records payments in a transaction of the caller. It skips refused
// rows; the caller decides whether to keep the others.
func (s *Service) WriteCommissions(ctx context.Context, w *change.Writing, rows []CommissionInput) ([]Outcome, error) {
	b := commissionBatch{Writing: w, codes: make([]string, len(rows)), facts: make([]commission, len(rows)), outcomes: make([]Outcome, len(rows))}
	for i, row := range rows {
		var c factCheck
		b.codes[i], b.facts[i] = c.commission(row, w.Today)
		b.outcomes[i].Problems = c.List
	}
	err := place(ctx, w, b.outcomes, func(i int) string { return b.codes[i] }, b.key, repeatedPayment())
	if err != nil {
		return nil, err
	}
	return b.outcomes, b.write(ctx)
}

// repeatedPayment is the problem of the second of two equal payments: they could be two,
// of which one would be lost.
func repeatedPayment() *problem.Error {
	return problem.Clash(problem.DuplicateKey, "The same payment is given more than once: a reference tells two apart", "reference")
}

// commissionBatch is the recording of payments under way.
type commissionBatch struct {
	*change.Writing
	codes    []string
	facts    []commission
	outcomes []Outcome
}

func (b *commissionBatch) key(i int) commission {
	b.facts[i].agentID = b.outcomes[i].AgentID
	return b.facts[i]
}

func (c *factCheck) commission(in CommissionInput, today date.Date) (agentCode string, p commission) {
	agentCode = c.RequiredLine(in.AgentCode, check.MaxAgentCode, "agentCode")
	c.Day(&in.PaidOn, today, "paidOn")
	amount, isAmount := c.money(in.Amount, "amount")
	p = commission{paidOn: in.PaidOn, amount: amount}
	if isAmount && amount == 0 {
		c.Refuse(problem.OutOfRange, "must not be zero", "amount")
	}
	if reference := c.optionalLine(in.Reference, maxText, "reference"); reference != nil {
		p.reference = *reference
	}
	return agentCode, p
}

// write adds the payments that are new.
func (b *commissionBatch) write(ctx context.Context) error {
	stored, err := b.stored(ctx)
	if err != nil {
		return err
	}
	var n notes
	for i := range b.outcomes {
		o := &b.outcomes[i]
		switch {
		case len(o.Problems) > 0:
		case stored[b.facts[i]]:
			o.Fate = Unchanged
		default:
			o.Fate = Created
			n.add(b.codes[i]+"/"+b.facts[i].paidOn.String(), "amount", "reference")
		}
	}
	n.write(b.Writing, commissionEntity)
	return b.CopyFrom(ctx, "insights_commission_payment", commissionColumns, b.added())
}

// stored reads the payments to the batch's agents on its days. The batch is later than these.
func (b *commissionBatch) stored(ctx context.Context) (map[commission]bool, error) {
	first, last := date.Max, check.FirstDay
	for _, f := range b.facts {
		first, last = min(first, f.paidOn), max(last, f.paidOn)
	}
	var s store.SQL
	s.Write("SELECT agent_id, paid_on, amount_cents, reference, recorded_at FROM insights_commission_payment WHERE tenant_id = ? AND paid_on >= ? AND paid_on <= ?", b.Tenant.ID, first, last)
	s.Write(" AND " + b.In("agent_id", s.Arg(b.List(agents(b.outcomes)))))
	found := map[commission]bool{}
	var latest time.Time
	err := store.Each(ctx, b, &s, func(row store.Scanner) error {
		var (
			p        commission
			recorded time.Time
		)
		err := row.Scan(&p.agentID, &p.paidOn, &p.amount, &p.reference, &recorded)
		found[p], latest = true, later(latest, recorded)
		return err
	})
	b.StampAfter(latest)
	return found, err
}

var commissionColumns = []string{"tenant_id", "agent_id", "paid_on", "amount_cents", "reference", "recorded_at", "recorded_by"}

func (b *commissionBatch) added() iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for i, f := range b.facts {
			if b.outcomes[i].Fate == Created && !yield([]any{b.Tenant.ID, f.agentID, f.paidOn, int64(f.amount), f.reference, b.Now, b.Initiator}) {
				return
			}
		}
	}
}
