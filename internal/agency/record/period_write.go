package record

import (
	"context"

	"github.com/uplinehq/upline/internal/date"
)

// PeriodWrite applies a value of a dated relation to an agent for a range of days.
type PeriodWrite struct {
	AgentCode        string
	EffectiveFrom    date.Date
	EffectiveThrough *date.Date
	Initiator        string
	// Check checks the value. Lock takes the locks that come before that of the agent; nil
	// for none.
	Check func(c *Check)
	Lock  func(ctx context.Context, w *Writing) error
	// Apply changes the history of the agent. A change without a Field is noted by Apply.
	Apply func(ctx context.Context, w *Writing, agentID int64) (Change, error)
}

// ApplyPeriod runs a period write in a transaction, or rehearses it.
func (wr *Writer) ApplyPeriod(ctx context.Context, in PeriodWrite, dryRun bool) (change Change, err error) {
	var c Check
	in.Initiator = c.Initiator(in.Initiator)
	in.AgentCode = c.Required(in.AgentCode, MaxText, "agentCode")
	in.Check(&c)
	c.Period(in.EffectiveFrom, in.EffectiveThrough)
	if err := c.Err(); err != nil {
		return Change{}, err
	}
	err = wr.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *Writing) error {
		if in.Lock != nil {
			if err := in.Lock(ctx, w); err != nil {
				return err
			}
		}
		agentID, err := w.LockAgent(ctx, in.AgentCode, "agentCode")
		if err != nil {
			return err
		}
		if change, err = in.Apply(ctx, w, agentID); err != nil {
			return err
		}
		return w.TouchChanged(ctx, agentID, change)
	})
	return change, err
}
