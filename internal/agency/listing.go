package agency

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/page"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// listing is a list of rows that can be filtered, sorted and paged, in all or
// for each of several owners at once.
type listing[T any] struct {
	// name is what cursors remember the list by.
	name    string
	columns string
	// from writes the FROM and WHERE clauses, tenant included.
	from func(s *store.SQL)
	keys []page.Key
	scan func(store.Scanner) (T, error)
	// place returns a row's value of the sort key of a name.
	place func(row T, key string) any
	// owner is the column that tells whose a row is.
	owner string
}

func (l listing[T]) plan(ctx context.Context, args page.Args) (*page.Query, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	return page.List{Name: l.name, TenantID: t.ID, Keys: l.keys, Default: t.DefaultPageSize, Max: t.MaxPageSize}.Plan(args)
}

func (l listing[T]) places(row T) []any {
	values := make([]any, len(l.keys))
	for i, k := range l.keys {
		values[i] = l.place(row, k.Name)
	}
	return values
}

// page reads one page of the whole list.
func (l listing[T]) page(ctx context.Context, q store.Querier, args page.Args) (page.Page[T], error) {
	plan, err := l.plan(ctx, args)
	if err != nil {
		return page.Page[T]{}, err
	}
	var s store.SQL
	s.Write("SELECT " + l.columns + " FROM ")
	l.from(&s)
	s.Write(" AND " + plan.Where(&s) + plan.Order())
	rows, err := store.Collect(ctx, q, l.scan, s.Text(), s.Args()...)
	if err != nil {
		return page.Page[T]{}, err
	}
	return page.Cut(plan, rows, l.places), nil
}

// count counts the whole list.
func (l listing[T]) count(ctx context.Context, q store.Querier) (n int, err error) {
	var s store.SQL
	s.Write("SELECT count(*) FROM ")
	l.from(&s)
	_, err = store.One(ctx, q, []any{&n}, s.Text(), s.Args()...)
	return n, err
}

type owned[T any] struct {
	owner int64
	row   T
}

// pages reads the same page of the list of each owner, in one statement.
func (l listing[T]) pages(ctx context.Context, q store.Querier, owners []int64, args page.Args) (map[int64]page.Page[T], error) {
	plan, err := l.plan(ctx, args)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	s.Write("SELECT * FROM (SELECT " + l.owner + " AS owner, row_number() OVER (PARTITION BY " + l.owner + " ORDER BY " + plan.OrderBy() + ") AS place, " + l.columns + " FROM ")
	l.from(&s)
	s.Write(" AND " + q.In(l.owner, s.Arg(q.List(owners))) + " AND " + plan.Where(&s))
	s.Write(fmt.Sprintf(") AS ranked WHERE place > %d AND place <= %d ORDER BY owner, place", plan.Offset(), plan.Offset()+plan.Limit()))
	rows, err := store.Collect(ctx, q, func(r store.Scanner) (o owned[T], err error) {
		var place int64
		o.row, err = l.scan(after{r, []any{&o.owner, &place}})
		return o, err
	}, s.Text(), s.Args()...)
	if err != nil {
		return nil, err
	}
	byOwner := make(map[int64][]T, len(owners))
	for _, o := range rows {
		byOwner[o.owner] = append(byOwner[o.owner], o.row)
	}
	pages := make(map[int64]page.Page[T], len(owners))
	for _, id := range owners {
		pages[id] = page.Cut(plan, byOwner[id], l.places)
	}
	return pages, nil
}

// counts counts the list of each owner, in one statement.
func (l listing[T]) counts(ctx context.Context, q store.Querier, owners []int64) (map[int64]int, error) {
	var s store.SQL
	s.Write("SELECT " + l.owner + ", count(*) FROM ")
	l.from(&s)
	s.Write(" AND " + q.In(l.owner, s.Arg(q.List(owners))) + " GROUP BY " + l.owner)
	counts := make(map[int64]int, len(owners))
	_, err := store.Collect(ctx, q, func(r store.Scanner) (struct{}, error) {
		var (
			id int64
			n  int
		)
		err := r.Scan(&id, &n)
		counts[id] = n
		return struct{}{}, err
	}, s.Text(), s.Args()...)
	return counts, err
}

// after is a scanner whose rows begin with more columns than the caller's.
type after struct {
	store.Scanner
	first []any
}

func (a after) Scan(dest ...any) error {
	all := make([]any, 0, len(a.first)+len(dest))
	return a.Scanner.Scan(append(append(all, a.first...), dest...)...)
}

// Order is one sort clause of a list.
type Order struct {
	// Field is the value of the list's GraphQL order enum.
	Field string
	Desc  bool
}

// sortKeys turns sort clauses into keys and adds the last ones, which give
// every row one place. A field named twice counts once.
func sortKeys(orders []Order, known map[string]page.Key, last ...page.Key) []page.Key {
	keys := make([]page.Key, 0, len(orders)+len(last))
	seen := map[string]bool{}
	add := func(k page.Key) {
		if !seen[k.Name] {
			seen[k.Name] = true
			keys = append(keys, k)
		}
	}
	for _, o := range orders {
		k := known[o.Field]
		k.Desc = o.Desc
		add(k)
	}
	descending := len(keys) > 0 && allDesc(keys)
	for _, k := range last {
		k.Desc = descending
		add(k)
	}
	return keys
}

// allDesc reports whether every key runs downwards; the tie-breakers then do
// too, so that one index serves the whole order.
func allDesc(keys []page.Key) bool {
	for _, k := range keys {
		if !k.Desc {
			return false
		}
	}
	return true
}

// List is a list ready to be read: a page of it, its size, or the same page of
// several owners.
type List[T any] struct {
	listing listing[T]
	store   *store.Store
}

// Page reads a page.
func (l List[T]) Page(ctx context.Context, args page.Args) (page.Page[T], error) {
	return l.listing.page(ctx, l.store, args)
}

// Count counts the rows.
func (l List[T]) Count(ctx context.Context) (int, error) { return l.listing.count(ctx, l.store) }

// Pages reads the same page for each owner, in one statement.
func (l List[T]) Pages(ctx context.Context, owners []int64, args page.Args) (map[int64]page.Page[T], error) {
	return l.listing.pages(ctx, l.store, owners, args)
}

// Counts counts the rows of each owner, in one statement.
func (l List[T]) Counts(ctx context.Context, owners []int64) (map[int64]int, error) {
	return l.listing.counts(ctx, l.store, owners)
}

// ByID reads every row of a list, by its id. The list must be narrowed to a few
// ids.
func ByID[T interface{ RowID() int64 }](ctx context.Context, l List[T]) (map[int64]T, error) {
	var s store.SQL
	s.Write("SELECT " + l.listing.columns + " FROM ")
	l.listing.from(&s)
	rows, err := store.Collect(ctx, l.store, l.listing.scan, s.Text(), s.Args()...)
	byID := make(map[int64]T, len(rows))
	for _, row := range rows {
		byID[row.RowID()] = row
	}
	return byID, err
}
