package certification

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Restoring is a certification that becomes what it was.
type Restoring struct {
	// Writing notes what happens to the agent.
	*record.Writing
	ID int64
	// Details are those that differ.
	Details Details
	// Periods are the statuses, if HasPeriods is set: otherwise they stay.
	Periods    []history.Period[string]
	HasPeriods bool
	// IsRemoved is true for one that was not there.
	IsRemoved bool
}

// Restore makes certifications what they were.
func Restore(ctx context.Context, w *record.Writing, all []*Restoring) error {
	if len(all) == 0 {
		return nil
	}
	byID, err := readStored(ctx, w, all)
	if err != nil {
		return err
	}
	dated := map[int64]*record.Restoring[string]{}
	var histories []*record.Restoring[string]
	for _, r := range all {
		if r.HasPeriods {
			dated[r.ID] = &record.Restoring[string]{Writing: r.Writing, Owner: r.ID, Periods: r.Periods}
			histories = append(histories, dated[r.ID])
		}
	}
	if err := statuses.Restore(ctx, w, 0, histories); err != nil {
		return err
	}
	for _, r := range all {
		c := byID[r.ID]
		c.agentCode = r.AgentCode
		if r.IsRemoved {
			if err := c.remove(ctx, r.Writing); err != nil {
				return err
			}
			continue
		}
		var check record.Check
		if check.Properties(Fields, &r.Details); check.Err() != nil {
			return check.Err()
		}
		h := dated[r.ID]
		hasPeriods := h != nil && h.Plan.Changed()
		from := w.Today
		if hasPeriods {
			from = h.Plan.Operations[0].From()
		}
		c.become(&r.Details, hasPeriods, from)
		if err := save(ctx, r.Writing, c); err != nil {
			return err
		}
	}
	return nil
}

func readStored(ctx context.Context, w *record.Writing, all []*Restoring) (map[int64]*changed, error) {
	ids := make([]int64, len(all))
	for i, r := range all {
		ids[i] = r.ID
	}
	byID := make(map[int64]*changed, len(all))
	_, err := store.Collect(ctx, w, func(row store.Scanner) (none struct{}, err error) {
		c := new(changed)
		err = row.Scan(c.dest()...)
		byID[c.ID] = c
		return none, err
	}, selectStored+w.In("id", "$2"), w.Tenant.ID, w.List(ids))
	return byID, err
}
