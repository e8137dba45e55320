package agency

import (
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// histories are one history of each of many owners. Periods are applied in
// memory, in their order, and written together.
type histories[V comparable] struct {
	timeline[V]
	// of is the column that names the owner, beside those of the timeline.
	of          string
	stored, now map[int64][]history.Period[V]
}

// historiesLike are stored as the history of one owner, whose column is its last.
func historiesLike[V comparable](l timeline[V]) *histories[V] {
	last := len(l.owner) - 1
	of := l.owner[last].name
	l.owner = l.owner[:last]
	return &histories[V]{timeline: l, of: of, stored: map[int64][]history.Period[V]{}, now: map[int64][]history.Period[V]{}}
}

// load reads the live periods of owners.
func (h *histories[V]) load(ctx context.Context, w *writing, owners []int64) error {
	if len(owners) == 0 {
		return nil
	}
	var s store.SQL
	s.Write("SELECT "+h.of+", id, effective_from, effective_through, "+strings.Join(h.columns, ", ")+" FROM "+h.table+" WHERE tenant_id = ?", w.Tenant.ID)
	for _, c := range h.owner {
		s.Write(" AND "+c.name+" = ?", c.value)
	}
	s.Write(" AND " + w.In(h.of, s.Arg(w.List(owners))) + " AND superseded_at IS NULL ORDER BY effective_from")
	_, err := store.Collect(ctx, w, func(r store.Scanner) (struct{}, error) {
		var (
			owner int64
			p     history.Period[V]
		)
		err := r.Scan(append([]any{&owner, &p.ID, &p.From, &p.Through}, h.dest(&p.Value)...)...)
		h.stored[owner] = append(h.stored[owner], p)
		return struct{}{}, err
	}, s.Text(), s.Args()...)
	h.reset()
	return err
}

// has reports whether an owner has any live period.
func (h *histories[V]) has(owner int64) bool { return len(h.stored[owner]) > 0 }

// reset forgets what was applied.
func (h *histories[V]) reset() {
	clear(h.now)
	for owner, periods := range h.stored {
		h.now[owner] = periods
	}
}

// begin is the first period of a new owner.
func (h *histories[V]) begin(owner int64, from date.Date, value V) {
	h.now[owner] = []history.Period[V]{{From: from, Value: value}}
}

// apply applies a period under the history rules.
func (h *histories[V]) apply(owner int64, p history.Period[V], today date.Date) (changed bool, err error) {
	plan, err := history.Apply(h.now[owner], p, today)
	if err != nil || !plan.Changed() {
		return false, err
	}
	h.now[owner] = plan.After
	return true, nil
}

// write writes the outcome: first the rows that no longer hold, then the new
// ones, so that none overlap on the way. Periods that another one of the same
// write replaced were never known, and are not stored.
func (h *histories[V]) write(ctx context.Context, w *writing) error {
	var superseded []int64
	for owner, stored := range h.stored {
		for _, p := range stored {
			if !slices.ContainsFunc(h.now[owner], func(other history.Period[V]) bool { return other.ID == p.ID }) {
				superseded = append(superseded, p.ID)
			}
		}
	}
	if len(superseded) > 0 {
		slices.Sort(superseded)
		if _, err := w.Exec(ctx, h.supersede(w), w.Now, w.Tenant.ID, w.List(superseded)); err != nil {
			return err
		}
	}
	return h.insert(ctx, w)
}

func (h *histories[V]) insert(ctx context.Context, w *writing) error {
	columns := []string{"tenant_id", h.of, "effective_from", "effective_through", "recorded_at", "recorded_by"}
	for _, c := range h.owner {
		columns = append(columns, c.name)
	}
	columns = append(columns, h.columns...)
	var owners []int64
	for owner, periods := range h.now {
		if slices.ContainsFunc(periods, isNew[V]) {
			owners = append(owners, owner)
		}
	}
	if len(owners) == 0 {
		return nil
	}
	slices.Sort(owners)
	return w.CopyFrom(ctx, h.table, columns, func(yield func([]any) bool) {
		row := make([]any, 0, len(columns))
		for _, owner := range owners {
			for _, p := range h.now[owner] {
				if !isNew(p) {
					continue
				}
				row = append(row[:0], w.Tenant.ID, owner, p.From, nullable(p.Through), w.Now, w.Initiator)
				for _, c := range h.timeline.owner {
					row = append(row, c.value)
				}
				if row = append(row, h.values(p.Value)...); !yield(row) {
					return
				}
			}
		}
	})
}

func isNew[V comparable](p history.Period[V]) bool { return p.ID == 0 }

// at is the value in force on a day.
func (h *histories[V]) at(owner int64, day date.Date) (value V, ok bool) {
	p, ok := history.At(h.now[owner], day)
	return p.Value, ok
}
