package record

import (
	"context"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/problem"
)

// DatedValue is a dated relation whose values are texts or numbers.
type DatedValue[V comparable] struct {
	*Dated[V]
	// Input names the value in inputs and files.
	Input string
	// Refers is the reference data whose keys the values are; nil if they are not. The team
	// is 0 for a relation that is in no team.
	Refers func(teamID int64) ReferenceTable
	// Check checks what a caller sends as a value; nil for a type that says enough.
	Check func(c *Check, v *V, field string)
	// Text shows a value.
	Text func(V) *string
	// IsEligibility is true if the past of the relation decides on commissions.
	IsEligibility bool
}

// PeriodInput is a value of an agent for a range of days.
type PeriodInput[V any] struct {
	AgentCode        string
	Value            V
	EffectiveFrom    date.Date
	EffectiveThrough *date.Date
	Initiator        string
}

// ApplyPeriod applies a value to a range of days under the history rules. The team counts
// for a relation that is in one.
func (d *DatedValue[V]) ApplyPeriod(ctx context.Context, wr *Writer, team string, in PeriodInput[V], dryRun bool) (Change, error) {
	var teamID int64
	return wr.ApplyPeriod(ctx, PeriodWrite{
		AgentCode: in.AgentCode, EffectiveFrom: in.EffectiveFrom, EffectiveThrough: in.EffectiveThrough, Initiator: in.Initiator,
		Check: func(c *Check) {
			if d.Check != nil {
				d.Check(c, &in.Value, d.Input)
			}
		},
		Lock: func(ctx context.Context, w *Writing) (err error) {
			if d.OfTeam {
				teamID, err = TeamID(ctx, w, team)
			}
			return err
		},
		Apply: func(ctx context.Context, w *Writing, agentID int64) (Change, error) {
			if err := d.refer(ctx, w, teamID, in.Value, d.Input); err != nil {
				return Change{}, err
			}
			h, err := d.Read(ctx, w, teamID, agentID)
			if err != nil {
				return Change{}, err
			}
			return d.Change(ctx, w, h, agentID, history.Period[V]{From: in.EffectiveFrom, Through: in.EffectiveThrough, Value: in.Value})
		},
	}, dryRun)
}

// Set makes a value the current one of an owner, from today on and open-ended, unless it
// is so already. The value must be configured if field, which names it in problems, is
// given; otherwise the caller has asked.
func (d *DatedValue[V]) Set(ctx context.Context, w *Writing, teamID, owner int64, value V, field ...string) (Change, error) {
	h, err := d.Read(ctx, w, teamID, owner)
	if err != nil {
		return Change{}, err
	}
	if current, ok := h.At(owner, w.Today); ok && current == value {
		return h.Describe(owner, h.Unchanged(owner), w.Today, d.Text), nil
	}
	if len(field) > 0 {
		if err := d.refer(ctx, w, teamID, value, field...); err != nil {
			return Change{}, err
		}
	}
	return d.Change(ctx, w, h, owner, history.Period[V]{From: w.Today, Value: value})
}

// Change applies a period to the history of one owner, and writes the outcome.
func (d *DatedValue[V]) Change(ctx context.Context, w *Writing, h *Histories[V], owner int64, p history.Period[V]) (Change, error) {
	plan, err := h.Apply(w, owner, p)
	if err == nil && plan.Changed() {
		err = h.Write(ctx, w)
	}
	if err != nil {
		return Change{}, err
	}
	return d.Describe(w, h, owner, plan, p.From), nil
}

// Describe turns the plan of a period that was applied from a day on into a Change.
func (d *DatedValue[V]) Describe(w *Writing, h *Histories[V], owner int64, plan history.Plan[V], from date.Date) Change {
	change := h.Describe(owner, plan, from, d.Text)
	if d.IsEligibility {
		change.WarnEligibility(from, w.Today)
	}
	return change
}

func (d *DatedValue[V]) refer(ctx context.Context, w *Writing, teamID int64, value V, field ...string) error {
	if d.Refers == nil {
		return nil
	}
	var refused problem.List
	return FirstOf(w.MustRefer(ctx, &refused, d.Refers(teamID), value, field...), refused.Err())
}
