package listing

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// List is a list whose rows are read into values of a type.
type List[T any] struct {
	Rows
	Columns string
	Scan    func(store.Scanner) (T, error)
	// Place returns a row's value of the sort key with a name.
	Place func(row T, key string) any
	// Growing is set for a list of tables that grow from nothing within minutes:
	// PostgreSQL then keeps no plan for the pages of owners (store.PlannedAnew).
	Growing bool
}

func (l List[T]) places(row T) []any {
	values := make([]any, len(l.Keys))
	for i, k := range l.Keys {
		values[i] = l.Place(row, k.Name)
	}
	return values
}

// Page reads one page of the whole list.
func (l List[T]) Page(ctx context.Context, args page.Args) (page.Page[T], error) {
	plan, err := l.Plan(ctx, args)
	if err != nil {
		return page.Page[T]{}, err
	}
	return page.Reader[T]{Reading: l.of(plan).reading(l.Columns), Scan: l.Scan, Place: l.places}.Page(l.planned(ctx), l.Store, plan)
}

// Pages reads the same page of the list of each owner, in one statement.
func (l List[T]) Pages(ctx context.Context, owners []int64, args page.Args) (map[int64]page.Page[T], error) {
	plan, err := l.Plan(ctx, args)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	l.WritePages(&s, plan, page.Owners{IDs: owners}, l.Columns)
	byOwner, totals := make(map[int64][]T, len(owners)), map[int64]int{}
	if l.Growing {
		ctx = store.PlannedAnew(ctx)
	}
	_, err = store.Collect(ctx, l.Store, func(r store.Scanner) (struct{}, error) {
		var (
			owner, place int64
			total        int
		)
		row, err := l.Scan(store.After(r, &total, &owner, &place))
		at := len(byOwner[owner])
		if place > 0 {
			at = int(place) - plan.Offset() - 1
		}
		byOwner[owner], totals[owner] = put(byOwner[owner], at, row), total
		return struct{}{}, err
	}, s.Text(), s.Args()...)
	if err == nil {
		err = plan.Complete(owners, totals, func(empty []int64) (map[int64]int, error) { return l.Counts(ctx, empty) })
	}
	if err != nil {
		return nil, err
	}
	pages := make(map[int64]page.Page[T], len(owners))
	for _, id := range owners {
		p := page.Cut(plan, byOwner[id], l.places)
		p.Total = totals[id]
		pages[id] = p
	}
	return pages, nil
}

// put puts a row at its index.
func put[T any](rows []T, at int, row T) []T {
	if at >= len(rows) {
		rows = append(rows, make([]T, at+1-len(rows))...)
	}
	rows[at] = row
	return rows
}
