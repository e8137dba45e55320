package agency

import (
	"context"
	"strings"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// timeline is one effective-dated history of one owner: where its rows are and
// how its values are stored.
type timeline[V comparable] struct {
	table string
	// owner are the columns that tell whose the history is, with their values.
	owner []column
	// columns hold the value.
	columns []string
	values  func(V) []any
	dest    func(*V) []any
}

type column struct {
	name  string
	value int64
}

// load reads the live periods.
func (l timeline[V]) load(ctx context.Context, w *writing) ([]history.Period[V], error) {
	var s store.SQL
	s.Write("SELECT id, effective_from, effective_through, "+strings.Join(l.columns, ", ")+" FROM "+l.table+" WHERE tenant_id = ?", w.Tenant.ID)
	for _, c := range l.owner {
		s.Write(" AND "+c.name+" = ?", c.value)
	}
	s.Write(" AND superseded_at IS NULL ORDER BY effective_from")
	return store.Collect(ctx, w, func(r store.Scanner) (p history.Period[V], err error) {
		err = r.Scan(append([]any{&p.ID, &p.From, &p.Through}, l.dest(&p.Value)...)...)
		return p, err
	}, s.Text(), s.Args()...)
}

// apply is applyTo for the live periods.
func (l timeline[V]) apply(ctx context.Context, w *writing, p history.Period[V]) (history.Plan[V], *int64, error) {
	existing, err := l.load(ctx, w)
	if err != nil {
		return history.Plan[V]{}, nil, err
	}
	return l.applyTo(ctx, w, existing, p)
}

// applyTo plans a period and writes the outcome: first the rows that no longer
// hold, then the new ones, so that none overlap on the way. It returns the id
// of the applied period, which is there when the write is over; nil when nothing
// changed.
func (l timeline[V]) applyTo(ctx context.Context, w *writing, existing []history.Period[V], p history.Period[V]) (history.Plan[V], *int64, error) {
	plan, err := history.Apply(existing, p, w.Today)
	if err != nil || !plan.Changed() {
		return plan, nil, err
	}
	id, err := l.write(ctx, w, plan, p.From)
	return plan, id, err
}

// write writes the outcome of a plan and returns the id of the new period that
// starts on a day.
func (l timeline[V]) write(ctx context.Context, w *writing, plan history.Plan[V], from date.Date) (applied *int64, err error) {
	if w.notes.from == nil {
		w.notes.from = &from
	}
	if ids := plan.Superseded(); len(ids) > 0 {
		if err := w.Later(ctx, l.supersede(w), w.Now, w.Tenant.ID, w.List(ids)); err != nil {
			return nil, err
		}
	}
	for _, row := range plan.Inserted() {
		id, err := l.insert(ctx, w, row)
		if err != nil {
			return nil, err
		}
		if row.From == from {
			applied = id
		}
	}
	return applied, nil
}

// supersede is the statement that supersedes rows; its arguments are the instant, the
// tenant and the list of their ids.
func (l timeline[V]) supersede(w *writing) string {
	return "UPDATE " + l.table + " SET superseded_at = $1 WHERE tenant_id = $2 AND " + w.In("id", "$3")
}

// insert adds a row; its id is there after Flush.
func (l timeline[V]) insert(ctx context.Context, w *writing, p history.Period[V]) (id *int64, err error) {
	names := []string{"tenant_id", "effective_from", "effective_through", "recorded_at", "recorded_by"}
	args := []any{w.Tenant.ID, p.From, nullable(p.Through), w.Now, w.Initiator}
	for _, c := range l.owner {
		names, args = append(names, c.name), append(args, c.value)
	}
	names, args = append(names, l.columns...), append(args, l.values(p.Value)...)
	id = new(int64)
	_, err = w.Ask(ctx, []any{id}, insertSQL(l.table, names)+" RETURNING id", args...)
	return id, err
}

// nullable keeps a nil date from reaching the driver as a typed nil pointer.
func nullable(d *date.Date) any {
	if d == nil {
		return nil
	}
	return *d
}

// textTimeline is a history whose value is one text column.
func textTimeline(table, value string, owner ...column) timeline[string] {
	return timeline[string]{
		table: table, owner: owner, columns: []string{value},
		values: func(v string) []any { return []any{v} },
		dest:   func(v *string) []any { return []any{v} },
	}
}
