package record

import (
	"context"
	"strings"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// Timeline describes one history of one owner: the place of its rows, and how its values
// are stored.
type Timeline[V comparable] struct {
	Table string
	// Owner has the columns that say whose history it is, with their values.
	Owner []Column
	// Columns hold the value.
	Columns []string
	Values  func(V) []any
	Dest    func(*V) []any
}

// Column is a column with the value that an owner has in it.
type Column struct {
	Name  string
	Value int64
}

// Load reads the current periods.
func (l Timeline[V]) Load(ctx context.Context, w *Writing) ([]history.Period[V], error) {
	var s store.SQL
	s.Write("SELECT id, effective_from, effective_through, "+strings.Join(l.Columns, ", ")+" FROM "+l.Table+" WHERE tenant_id = ?", w.Tenant.ID)
	for _, c := range l.Owner {
		s.Write(" AND "+c.Name+" = ?", c.Value)
	}
	s.Write(" AND superseded_at IS NULL ORDER BY effective_from")
	return store.Collect(ctx, w, func(r store.Scanner) (p history.Period[V], err error) {
		err = r.Scan(append([]any{&p.ID, &p.From, &p.Through}, l.Dest(&p.Value)...)...)
		return p, err
	}, s.Text(), s.Args()...)
}

// Apply is ApplyTo for the current periods.
func (l Timeline[V]) Apply(ctx context.Context, w *Writing, p history.Period[V]) (history.Plan[V], *int64, error) {
	existing, err := l.Load(ctx, w)
	if err != nil {
		return history.Plan[V]{}, nil, err
	}
	return l.ApplyTo(ctx, w, existing, p)
}

// ApplyTo plans a period and writes the outcome: first the rows that are superseded and
// then the new ones, so that no two overlap in between. It returns the id of the applied
// period, nil if nothing changed. The id is set when the write is over.
func (l Timeline[V]) ApplyTo(ctx context.Context, w *Writing, existing []history.Period[V], p history.Period[V]) (history.Plan[V], *int64, error) {
	plan, err := history.Apply(existing, p, w.Today)
	if err != nil || !plan.Changed() {
		return plan, nil, err
	}
	id, err := l.Write(ctx, w, plan, p.From)
	return plan, id, err
}

// Write writes the outcome of a plan. It returns the id of the new period that begins on
// the day from.
func (l Timeline[V]) Write(ctx context.Context, w *Writing, plan history.Plan[V], from date.Date) (applied *int64, err error) {
	if w.notes.from == nil {
		w.notes.from = &from
	}
	if ids := plan.Superseded(); len(ids) > 0 {
		if err := w.Later(ctx, l.Supersede(w), w.Now, w.Tenant.ID, w.List(ids)); err != nil {
			return nil, err
		}
	}
	for _, row := range plan.Inserted() {
		id, err := l.Insert(ctx, w, row)
		if err != nil {
			return nil, err
		}
		if row.From == from {
			applied = id
		}
	}
	return applied, nil
}

// Supersede returns the statement that supersedes rows. Its arguments are the instant,
// the tenant and the list of ids.
func (l Timeline[V]) Supersede(w *Writing) string {
	return "UPDATE " + l.Table + " SET superseded_at = $1 WHERE tenant_id = $2 AND " + w.In("id", "$3")
}

// Insert adds a row. The id is set after Flush.
func (l Timeline[V]) Insert(ctx context.Context, w *Writing, p history.Period[V]) (id *int64, err error) {
	names := []string{"tenant_id", "effective_from", "effective_through", "recorded_at", "recorded_by"}
	args := []any{w.Tenant.ID, p.From, Nullable(p.Through), w.Now, w.Initiator}
	for _, c := range l.Owner {
		names, args = append(names, c.Name), append(args, c.Value)
	}
	names, args = append(names, l.Columns...), append(args, l.Values(p.Value)...)
	id = new(int64)
	_, err = w.Ask(ctx, []any{id}, InsertSQL(l.Table, names)+" RETURNING id", args...)
	return id, err
}

// Nullable returns the date, or an untyped nil, which drivers store as NULL.
func Nullable(d *date.Date) any {
	if d == nil {
		return nil
	}
	return *d
}

// TextTimeline describes a history whose value is one text column.
func TextTimeline(table, value string, owner ...Column) Timeline[string] {
	return Timeline[string]{
		Table: table, Owner: owner, Columns: []string{value},
		Values: func(v string) []any { return []any{v} },
		Dest:   func(v *string) []any { return []any{v} },
	}
}
