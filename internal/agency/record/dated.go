package record

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Dated is a dated relation with values of a type, and how they are stored.
type Dated[V comparable] struct {
	*history.Relation
	// Field is the path of the history from its agent.
	Field string
	// Values are the columns of a value, and Dest is where they are scanned to.
	Values func(V) []any
	Dest   func(*V) []any
}

// DatedColumn describes a relation whose value is one column.
func DatedColumn[V comparable](r *history.Relation, field string) *Dated[V] {
	return &Dated[V]{
		Relation: r, Field: field,
		Values: func(v V) []any { return []any{v} },
		Dest:   func(v *V) []any { return []any{v} },
	}
}

// Histories holds the histories of some owners while they are changed. Periods are
// applied in memory, in order, and written together.
type Histories[V comparable] struct {
	*Dated[V]
	teamID      int64
	stored, now map[int64][]history.Period[V]
	written     map[begin]*int64
}

// begin is the owner and the first day of a period.
type begin struct {
	owner int64
	from  date.Date
}

// None returns the histories of owners who have no periods. The team is 0 for a relation
// that is in no team.
func (d *Dated[V]) None(teamID int64) *Histories[V] {
	return &Histories[V]{Dated: d, teamID: teamID, stored: map[int64][]history.Period[V]{}, now: map[int64][]history.Period[V]{}, written: map[begin]*int64{}}
}

// Read reads the current periods of owners.
func (d *Dated[V]) Read(ctx context.Context, w *Writing, teamID int64, owners ...int64) (*Histories[V], error) {
	h, err := d.Ask(ctx, w, teamID, owners...)
	return h, FirstOf(err, w.Flush(ctx))
}

// Ask is Read, but the periods are there only after Flush.
func (d *Dated[V]) Ask(ctx context.Context, w *Writing, teamID int64, owners ...int64) (*Histories[V], error) {
	h := d.None(teamID)
	if len(owners) == 0 {
		return h, nil
	}
	var s store.SQL
	s.Write("SELECT "+d.Owner+", id, "+history.StatedSQL+", effective_from, effective_through, "+strings.Join(d.Columns, ", ")+" FROM "+d.Table+" WHERE tenant_id = ?", w.Tenant.ID)
	if d.OfTeam {
		s.Write(" AND team_id = ?", teamID)
	}
	if len(owners) == 1 {
		s.Write(" AND "+d.Owner+" = ?", owners[0])
	} else {
		s.Write(" AND " + w.In(d.Owner, s.Arg(w.List(owners))))
	}
	return h, w.AskAll(ctx, func(r store.Scanner) error {
		var (
			owner int64
			p     history.Period[V]
		)
		err := r.Scan(append([]any{&owner, &p.ID, &p.Stated, &p.From, &p.Through}, d.Dest(&p.Value)...)...)
		h.stored[owner] = append(h.stored[owner], p)
		h.now[owner] = h.stored[owner]
		return err
	}, s.Write(" AND superseded_at IS NULL ORDER BY effective_from").Text(), s.Args()...)
}

// Has reports whether an owner has a stored period.
func (h *Histories[V]) Has(owner int64) bool { return len(h.stored[owner]) > 0 }

// Of returns the periods of an owner, in order, with what was applied.
func (h *Histories[V]) Of(owner int64) []history.Period[V] { return h.now[owner] }

// At returns the value in force on a day.
func (h *Histories[V]) At(owner int64, day date.Date) (value V, ok bool) {
	p, ok := history.At(h.now[owner], day)
	return p.Value, ok
}

// Begin adds the first period of a new owner.
func (h *Histories[V]) Begin(owner int64, from date.Date, value V) {
	h.now[owner] = []history.Period[V]{{From: from, Value: value}}
}

// Apply applies a period under the history rules.
func (h *Histories[V]) Apply(w *Writing, owner int64, p history.Period[V]) (history.Plan[V], error) {
	plan, err := history.Apply(h.now[owner], p, w.Today)
	if err != nil {
		return plan, err
	}
	h.Follow(w, owner, plan, p.From)
	return plan, nil
}

// Become makes periods the history of an owner, as history.Become plans it. They have the
// statements of rows of this owner, or none.
func (h *Histories[V]) Become(w *Writing, owner int64, target []history.Period[V]) (history.Plan[V], error) {
	plan, err := history.Become(h.now[owner], target)
	if err != nil || !plan.Changed() {
		return plan, err
	}
	from := plan.Operations[0].From()
	if changed := history.Differences(plan.Before, plan.After); len(changed) > 0 {
		from = changed[0].From
	}
	h.Follow(w, owner, plan, from)
	return plan, nil
}

// Follow makes a plan the history of an owner. from is the day from which on it changes.
func (h *Histories[V]) Follow(w *Writing, owner int64, plan history.Plan[V], from date.Date) {
	if !plan.Changed() {
		return
	}
	h.now[owner] = plan.After
	if w.notes.from == nil {
		w.notes.from = &from
	}
}

// Unchanged returns the plan that leaves the history of an owner as it is.
func (h *Histories[V]) Unchanged(owner int64) history.Plan[V] {
	return history.Plan[V]{Before: h.now[owner], After: h.now[owner]}
}

// Write writes the outcome, once: first the rows that are superseded and then the new ones, so
// that no two overlap in between. A period that another one of the same write replaces
// was never known, and is not stored.
func (h *Histories[V]) Write(ctx context.Context, w *Writing) error {
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
		if err := w.Later(ctx, "UPDATE "+h.Table+" SET superseded_at = $1 WHERE tenant_id = $2 AND "+w.In("id", "$3"), w.Now, w.Tenant.ID, w.List(superseded)); err != nil {
			return err
		}
	}
	return h.insert(ctx, w)
}

// insert adds the rows of the new periods. If they are few, their ids are known after
// Flush.
func (h *Histories[V]) insert(ctx context.Context, w *Writing) error {
	columns := slices.Concat([]string{"tenant_id", h.Owner, "effective_from", "effective_through", "recorded_at", "recorded_by", "stated"}, h.Columns)
	if h.OfTeam {
		columns = append(columns, "team_id")
	}
	rows := h.rows()
	values := func(row []any, r newPeriod[V]) []any {
		row = append(row, w.Tenant.ID, r.owner, r.From, Nullable(r.Through), w.Now, w.Initiator, stated(r.Stated))
		if row = append(row, h.Values(r.Value)...); h.OfTeam {
			row = append(row, h.teamID)
		}
		return row
	}
	if len(rows) > fewPeriods {
		return w.CopyFrom(ctx, h.Table, columns, func(yield func([]any) bool) {
			row := make([]any, 0, len(columns))
			for _, r := range rows {
				if row = values(row[:0], r); !yield(row) {
					return
				}
			}
		})
	}
	if len(rows) == 0 {
		return nil
	}
	var all []any
	for _, r := range rows {
		all = values(all, r)
		h.written[begin{r.owner, r.From}] = new(int64)
	}
	return w.AskInsert(ctx, func(row store.Scanner) error {
		var (
			of begin
			id int64
		)
		if err := row.Scan(&of.owner, &of.from, &id); err != nil {
			return err
		}
		*h.written[of] = id
		return nil
	}, h.Owner+", effective_from, id", h.Table, columns, all...)
}

// fewPeriods is how many new periods of an owner one period can make: itself, and what
// remains before and after it.
const fewPeriods = 3

// newPeriod is a period that is not stored yet.
type newPeriod[V comparable] struct {
	owner int64
	history.Period[V]
}

// rows returns the new periods by owner and first day.
func (h *Histories[V]) rows() (rows []newPeriod[V]) {
	for owner, periods := range h.now {
		for _, p := range periods {
			if p.ID == 0 {
				rows = append(rows, newPeriod[V]{owner, p})
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b newPeriod[V]) int { return cmp.Compare(a.owner, b.owner) })
	return rows
}

// Change applies a period to the history of one owner, and writes the outcome.
func (h *Histories[V]) Change(ctx context.Context, w *Writing, owner int64, p history.Period[V], text func(V) *string) (Change, error) {
	plan, err := h.Apply(w, owner, p)
	if err == nil && plan.Changed() {
		err = h.Write(ctx, w)
	}
	if err != nil {
		return Change{}, err
	}
	return h.Describe(owner, plan, p.From, text), nil
}

// Describe turns a plan into a Change, with the id of the period that begins on a day if
// it was written; text shows a value.
func (h *Histories[V]) Describe(owner int64, plan history.Plan[V], from date.Date, text func(V) *string) Change {
	c := describe(plan, text)
	if id := h.written[begin{owner, from}]; id != nil {
		c.PeriodID = id
	}
	c.Field = h.Field
	return c
}

// stated returns the row that stated the days of a new period, or NULL for this one.
func stated(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// Nullable returns the date, or an untyped nil, which drivers store as NULL.
func Nullable(d *date.Date) any {
	if d == nil {
		return nil
	}
	return *d
}
