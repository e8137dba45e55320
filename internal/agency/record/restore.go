package record

import (
	"context"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/problem"
)

// Restoring is an owner of a dated relation whose history becomes what it was.
type Restoring[V comparable] struct {
	// Writing notes what happens to the owner's agent.
	*Writing
	Owner   int64
	Periods []history.Period[V]
	// Plan is what becomes of the history, once it is restored.
	Plan history.Plan[V]
}

// Restore makes the histories of owners what they were.
func (d *Dated[V]) Restore(ctx context.Context, w *Writing, teamID int64, all []*Restoring[V]) error {
	if len(all) == 0 {
		return nil
	}
	owners := make([]int64, len(all))
	for i, r := range all {
		owners[i] = r.Owner
	}
	h, err := d.Read(ctx, w, teamID, owners...)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.Plan, err = h.Become(r.Writing, r.Owner, r.Periods); err != nil {
			return err
		}
	}
	return h.Write(ctx, w)
}

// Restore is that of Dated, for values that must be usable today.
func (d *DatedValue[V]) Restore(ctx context.Context, w *Writing, teamID int64, all []*Restoring[V]) error {
	if err := d.Dated.Restore(ctx, w, teamID, all); err != nil || d.Refers == nil || len(all) == 0 {
		return err
	}
	usable, err := ReferenceKeys[V](ctx, w, d.Refers(teamID))
	if err != nil {
		return err
	}
	var refused problem.List
	for _, r := range all {
		for _, op := range r.Plan.Operations {
			if op.Kind == history.Added && !usable[op.Results[0].Value] {
				refused.Add(d.Refers(teamID).Unknown("sequence"))
				return refused.Err()
			}
		}
	}
	return nil
}
