package imports

import (
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// Histories holds the same history of many owners. Periods are applied in memory, in
// order, and written together.
type Histories[V comparable] struct {
	record.Timeline[V]
	// of is the column that names the owner, beside the owner columns of the timeline.
	of          string
	stored, now map[int64][]history.Period[V]
}

// HistoriesLike returns histories that are stored like that of one owner, whose id is in
// the last owner column.
func HistoriesLike[V comparable](l record.Timeline[V]) *Histories[V] {
	last := len(l.Owner) - 1
	of := l.Owner[last].Name
	l.Owner = l.Owner[:last]
	return &Histories[V]{Timeline: l, of: of, stored: map[int64][]history.Period[V]{}, now: map[int64][]history.Period[V]{}}
}

// Load reads the current periods of owners.
func (h *Histories[V]) Load(ctx context.Context, w *record.Writing, owners []int64) error {
	if len(owners) == 0 {
		return nil
	}
	var s store.SQL
	s.Write("SELECT "+h.of+", id, effective_from, effective_through, "+strings.Join(h.Columns, ", ")+" FROM "+h.Table+" WHERE tenant_id = ?", w.Tenant.ID)
	for _, c := range h.Owner {
		s.Write(" AND "+c.Name+" = ?", c.Value)
	}
	s.Write(" AND " + w.In(h.of, s.Arg(w.List(owners))) + " AND superseded_at IS NULL ORDER BY effective_from")
	_, err := store.Collect(ctx, w, func(r store.Scanner) (struct{}, error) {
		var (
			owner int64
			p     history.Period[V]
		)
		err := r.Scan(append([]any{&owner, &p.ID, &p.From, &p.Through}, h.Dest(&p.Value)...)...)
		h.stored[owner] = append(h.stored[owner], p)
		return struct{}{}, err
	}, s.Text(), s.Args()...)
	h.reset()
	return err
}

// Has reports whether an owner has a current period.
func (h *Histories[V]) Has(owner int64) bool { return len(h.stored[owner]) > 0 }

// reset forgets the periods that were applied.
func (h *Histories[V]) reset() {
	clear(h.now)
	for owner, periods := range h.stored {
		h.now[owner] = periods
	}
}

// Begin adds the first period of a new owner.
func (h *Histories[V]) Begin(owner int64, from date.Date, value V) {
	h.now[owner] = []history.Period[V]{{From: from, Value: value}}
}

// Apply applies a period under the history rules.
func (h *Histories[V]) Apply(owner int64, p history.Period[V], today date.Date) (changed bool, err error) {
	plan, err := history.Apply(h.now[owner], p, today)
	if err != nil || !plan.Changed() {
		return false, err
	}
	h.now[owner] = plan.After
	return true, nil
}

// Write writes the outcome: first the rows that are superseded and then the new ones, so
// that no two overlap in between. A period that another one of the same write replaces
// was never known, and is not stored.
func (h *Histories[V]) Write(ctx context.Context, w *record.Writing) error {
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
		if _, err := w.Exec(ctx, h.Supersede(w), w.Now, w.Tenant.ID, w.List(superseded)); err != nil {
			return err
		}
	}
	return h.Insert(ctx, w)
}

// Insert adds the rows of the new periods.
func (h *Histories[V]) Insert(ctx context.Context, w *record.Writing) error {
	columns := []string{"tenant_id", h.of, "effective_from", "effective_through", "recorded_at", "recorded_by"}
	for _, c := range h.Owner {
		columns = append(columns, c.Name)
	}
	columns = append(columns, h.Columns...)
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
	return w.CopyLater(ctx, h.Table, columns, func(yield func([]any) bool) {
		row := make([]any, 0, len(columns))
		for _, owner := range owners {
			for _, p := range h.now[owner] {
				if !isNew(p) {
					continue
				}
				row = append(row[:0], w.Tenant.ID, owner, p.From, record.Nullable(p.Through), w.Now, w.Initiator)
				for _, c := range h.Timeline.Owner {
					row = append(row, c.Value)
				}
				if row = append(row, h.Values(p.Value)...); !yield(row) {
					return
				}
			}
		}
	})
}

func isNew[V comparable](p history.Period[V]) bool { return p.ID == 0 }

// At returns the value in force on a day.
func (h *Histories[V]) At(owner int64, day date.Date) (value V, ok bool) {
	p, ok := history.At(h.now[owner], day)
	return p.Value, ok
}
