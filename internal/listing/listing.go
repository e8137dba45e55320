// Package listing reads lists of rows that can be filtered, sorted and paged, in
// all or for each of several owners at once. An area says what its rows are and
// how they are read; a door asks for pages and counts.
package listing

import (
	"cmp"
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/page"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// List is a list ready to be read: a page of it, its size, or the same page of
// several owners.
type List[T any] struct {
	// Store is what it is read from.
	Store store.Querier
	// Name is what cursors remember the list by.
	Name    string
	Columns string
	// From writes the FROM and WHERE clauses, tenant included.
	From func(s *store.SQL)
	// Whole writes the same in the order in which SQLite is to join when it reads a
	// page of the whole list; nil for From.
	Whole func(s *store.SQL)
	Keys  []page.Key
	Scan  func(store.Scanner) (T, error)
	// Place returns a row's value of the sort key of a name.
	Place func(row T, key string) any
	// Owner is the column that tells whose a row is; empty for a list that is
	// read as a whole only.
	Owner string
	// Default and Max are the sizes of a page; those of the tenant when 0.
	Default, Max int
	// Ranked are the columns that are enough to find the rows of a page, and Rest
	// joins what else Columns need to them, named r. They are for lists that are
	// long for one owner, and read by owner only: there all rows are numbered, and
	// so are no wider than that takes. Empty for all others.
	Ranked, Rest string
}

func (l List[T]) plan(ctx context.Context, args page.Args) (*page.Query, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	return page.List{Name: l.Name, TenantID: t.ID, Keys: l.Keys, Default: cmp.Or(l.Default, t.DefaultPageSize), Max: cmp.Or(l.Max, t.MaxPageSize)}.Plan(ctx, args)
}

func (l List[T]) places(row T) []any {
	values := make([]any, len(l.Keys))
	for i, k := range l.Keys {
		values[i] = l.Place(row, k.Name)
	}
	return values
}

// Statement returns the query of a page of the whole list.
func (l List[T]) Statement(ctx context.Context, args page.Args) (*page.Query, *store.SQL, error) {
	plan, err := l.plan(ctx, args)
	if err != nil {
		return nil, nil, err
	}
	from := l.From
	if l.Whole != nil {
		from = l.Whole
	}
	s := new(store.SQL).Write("SELECT " + l.Columns + " FROM ")
	from(s)
	s.Write(" AND " + plan.Where(s) + plan.Order())
	return plan, s, nil
}

// Page reads one page of the whole list.
func (l List[T]) Page(ctx context.Context, args page.Args) (page.Page[T], error) {
	plan, s, err := l.Statement(ctx, args)
	if err != nil {
		return page.Page[T]{}, err
	}
	rows, err := store.Collect(ctx, l.Store, l.Scan, s.Text(), s.Args()...)
	if err != nil {
		return page.Page[T]{}, err
	}
	return page.Cut(plan, rows, l.places), nil
}

// Count counts the whole list.
func (l List[T]) Count(ctx context.Context) (n int, err error) {
	var s store.SQL
	s.Write("SELECT count(*) FROM ")
	l.From(&s)
	_, err = store.One(ctx, l.Store, []any{&n}, s.Text(), s.Args()...)
	return n, err
}

type owned[T any] struct {
	owner int64
	row   T
}

// Pages reads the same page of the list of each owner, in one statement.
func (l List[T]) Pages(ctx context.Context, owners []int64, args page.Args) (map[int64]page.Page[T], error) {
	plan, err := l.plan(ctx, args)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	shown, ranked := "*", l.Columns
	if l.Ranked != "" {
		shown, ranked = "r.owner, r.place, "+l.Columns, l.Ranked
	}
	s.Write("SELECT " + shown + " FROM (SELECT " + l.Owner + " AS owner, row_number() OVER (PARTITION BY " + l.Owner + " ORDER BY " + plan.OrderBy() + ") AS place, " + ranked + " FROM ")
	l.From(&s)
	s.Write(" AND " + l.Store.In(l.Owner, s.Arg(l.Store.List(owners))) + " AND " + plan.Where(&s))
	s.Write(fmt.Sprintf(") AS r %s WHERE place > %d AND place <= %d ORDER BY owner, place", l.Rest, plan.Offset(), plan.Offset()+plan.Limit()))
	rows, err := store.Collect(ctx, l.Store, func(r store.Scanner) (o owned[T], err error) {
		var place int64
		o.row, err = l.Scan(After(r, &o.owner, &place))
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

// Counts counts the list of each owner, in one statement.
func (l List[T]) Counts(ctx context.Context, owners []int64) (map[int64]int, error) {
	var s store.SQL
	s.Write("SELECT " + l.Owner + ", count(*) FROM ")
	l.From(&s)
	s.Write(" AND " + l.Store.In(l.Owner, s.Arg(l.Store.List(owners))) + " GROUP BY " + l.Owner)
	counts := make(map[int64]int, len(owners))
	_, err := store.Collect(ctx, l.Store, func(r store.Scanner) (struct{}, error) {
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

// After returns a scanner of rows that begin with more columns than those who
// use it know of; the first ones go where first says.
func After(row store.Scanner, first ...any) store.Scanner { return after{row, first} }

type after struct {
	store.Scanner
	first []any
}

func (a after) Scan(dest ...any) error {
	all := make([]any, 0, len(a.first)+len(dest))
	return a.Scanner.Scan(append(append(all, a.first...), dest...)...)
}

// ByID reads every row of a list, by its id. The list must be narrowed to a few
// ids.
func ByID[T interface{ RowID() int64 }](ctx context.Context, l List[T]) (map[int64]T, error) {
	var s store.SQL
	s.Write("SELECT " + l.Columns + " FROM ")
	l.From(&s)
	rows, err := store.Collect(ctx, l.Store, l.Scan, s.Text(), s.Args()...)
	byID := make(map[int64]T, len(rows))
	for _, row := range rows {
		byID[row.RowID()] = row
	}
	return byID, err
}
