package payee

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/patch"
)

// Update holds the changes of how an agent is paid. Omitted parts stay as they are.
type Update struct {
	Status        patch.Field[string]
	W9            patch.Field[W9Details]
	DirectDeposit patch.Field[BankDetails]
	Initiator     string
}

// Change is what an update of a payee has changed, or would change.
type Change struct {
	// Histories are the changes of the pay status and of the W9, of those that were sent.
	Histories []record.Change
	// Changed is false if everything sent was already so.
	Changed bool
}

// UpdatePayee changes the pay status and the W9 from today on, and replaces the bank
// details (Pay status). "PATCH with the status the agent already has: no change"; so is a
// W9 that says the same as the current one.
func (s *Service) UpdatePayee(ctx context.Context, code string, in Update, dryRun bool) (change Change, err error) {
	var sent record.Check
	in.Initiator = sent.Initiator(in.Initiator)
	sent.Kept(&in.Status, record.MaxText, "status")
	if d := in.DirectDeposit.Value; d != nil {
		CheckBankDetails(&sent, d)
	}
	err = s.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		agentID, err := w.LockAgent(ctx, code)
		if err != nil {
			return err
		}
		p := &payeeWriting{s: s, w: w, agentID: agentID, in: in}
		p.refused.List = slices.Clone(sent.List)
		if err := p.read(ctx); err != nil {
			return err
		}
		if change, err = p.apply(ctx); err != nil || !change.Changed {
			return err
		}
		w.NoteDifferences(code, p.changes)
		return w.TouchAgent(ctx, agentID)
	})
	return change, err
}

// payeeWriting is an update of a payee while it is under way.
type payeeWriting struct {
	s       *Service
	w       *record.Writing
	agentID int64
	in      Update
	refused record.Check
	changes []record.Difference

	w9 *w9History
	// current is the W9 in force today, and next is the one after the update. An empty
	// one stands for none.
	current, next W9Details
}

// read reads what the update is compared with. It refuses the update with everything that
// is wrong in any of its parts.
func (p *payeeWriting) read(ctx context.Context) (err error) {
	if status := p.in.Status.Value; status != nil && *status != "" {
		if err := p.w.MustRefer(ctx, &p.refused.List, record.PayStatusTable, *status, "status"); err != nil {
			return err
		}
	}
	if p.in.W9.Sent {
		if p.w9, err = p.s.w9History(ctx, p.w, p.agentID); err != nil {
			return err
		}
		if p.current, err = p.w9.inForce(ctx, p.w.Today); err != nil {
			return err
		}
	}
	if u := p.in.W9.Value; u != nil {
		p.next = p.current
		W9Fields.Become(&p.next, u)
		CheckW9(&p.refused, &p.next, u, p.w.Today)
	}
	return p.refused.Err()
}

// apply makes the changes: those of histories first.
func (p *payeeWriting) apply(ctx context.Context) (change Change, err error) {
	for _, part := range []struct {
		sent  bool
		apply func(context.Context) (record.Change, error)
	}{{p.in.Status.Sent, p.applyStatus}, {p.in.W9.Sent, p.applyW9}} {
		if !part.sent {
			continue
		}
		c, err := part.apply(ctx)
		if err != nil {
			return Change{}, err
		}
		change.Histories = append(change.Histories, c)
		change.Changed = change.Changed || c.Changed
	}
	if p.in.DirectDeposit.Sent {
		differ, err := p.s.replaceDirectDeposit(ctx, p.w, p.agentID, p.in.DirectDeposit.Value)
		if err != nil {
			return Change{}, err
		}
		p.changes = append(p.changes, differ...)
		change.Changed = change.Changed || len(differ) > 0
	}
	return change, nil
}

// applyStatus makes a pay status the current one: "status differs from the current one:
// new status effective today".
func (p *payeeWriting) applyStatus(ctx context.Context) (record.Change, error) {
	change, err := Statuses.Set(ctx, p.w, 0, p.agentID, *p.in.Status.Value)
	if change.Changed {
		p.changes = append(p.changes, record.Difference{Field: Statuses.Field})
	}
	return change, err
}

// applyW9 makes a W9 the current one: "differs from the current W9: new W9 effective
// today". Null ends the current one.
func (p *payeeWriting) applyW9(ctx context.Context) (record.Change, error) {
	if len(W9s.Differences(p.current, p.next)) == 0 {
		return p.w9.unchanged(), nil
	}
	was := p.w9.Of(p.agentID)
	var change record.Change
	var err error
	if p.in.W9.IsNull() {
		change, err = p.w9.end(ctx)
	} else {
		change, err = p.w9.apply(ctx, p.next, p.w.Today, nil)
	}
	if err != nil {
		return change, err
	}
	differ, err := p.w9.differences(ctx, was, p.next)
	p.changes = append(p.changes, differ...)
	return change, err
}
