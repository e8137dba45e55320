// Package listing reads lists of rows that can be filtered, sorted and paged: a whole
// list, or the lists of several owners at once. An area says what its rows are and how
// they are read; a door asks for pages and counts.
package listing

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// List is a list ready to be read: a page of it, its size, or the same page for each of
// several owners.
type List[T any] struct {
	// Store is the database that it is read from.
	Store store.Querier
	// Name is the name of the list in cursors.
	Name    string
	Columns string
	// With writes a common table expression that From names, for rows that are expensive
	// to find, so that a page and its total find them once. Usually nil.
	With func(s *store.SQL)
	// From writes the FROM and WHERE clauses, tenant included.
	From func(s *store.SQL)
	// Whole writes the same in the order in which SQLite is to join when it reads a page
	// of the whole list; nil for From.
	Whole func(s *store.SQL)
	// Each writes the same without the condition on the owner, in the order in which
	// PostgreSQL is to join when it reads the pages of owners one after the other; nil if
	// it is to number the rows of all owners instead.
	Each func(s *store.SQL)
	Keys []page.Key
	Scan func(store.Scanner) (T, error)
	// Place returns a row's value of the sort key with a name.
	Place func(row T, key string) any
	// Owner is the column of the owner; empty for a list that is only read as a whole.
	Owner string
	// Default and Max are the sizes of a page; the tenant's if they are 0.
	Default, Max int
	// Total writes a query for the number of rows of the whole list, or of the list of an
	// owner, given the placeholder or column of the owner's id; nil if the rows are
	// counted.
	Total func(s *store.SQL, owner string)
	// Counted writes shorter FROM and WHERE clauses that are enough to count the whole
	// list; nil for From.
	Counted func(s *store.SQL)
	// Kept keeps the size of the whole list; nil if it is counted each time.
	Kept *Total
	// Ranked are the columns that are enough to find the rows of a page, and Rest joins
	// to them, named r, what Columns need besides. They are for lists that are long for
	// one owner, and read by owner only: all rows are numbered there, so they should be
	// narrow. Empty for all others.
	Ranked, Rest string
	// Growing is set for a list of tables that grow from nothing within minutes:
	// PostgreSQL then keeps no plan for the pages of owners (store.PlannedAnew).
	Growing bool
	// ByValue is set if it depends on the values of the list's conditions how a page of
	// the whole list is best read: by a condition that few rows meet, or in the order of
	// the keys. PostgreSQL then plans each page with its values.
	ByValue bool
}

// Plan checks the arguments of a page of the list.
func (l List[T]) Plan(ctx context.Context, args page.Args) (*page.Query, error) {
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

// reading says how a page of the whole list is read.
func (l List[T]) reading() page.Reading[T] {
	r := page.Reading[T]{Columns: l.Columns, Scan: l.Scan, Place: l.places, From: clauses(l.From)}
	if l.Whole != nil {
		r.From, r.Streamed = clauses(l.Whole), true
	}
	if l.With != nil {
		r.From = func(s *store.SQL) string {
			l.With(s)
			return clauses(l.From)(s)
		}
	}
	switch {
	case l.Total != nil:
		r.Total = func(s *store.SQL) string { return s.Piece(func(s *store.SQL) { l.Total(s, "") }) }
	case l.Kept != nil:
		r.Total, r.Size = func(s *store.SQL) string { return l.Kept.write(s, l.count) }, l.Kept.read
	case l.Whole != nil || l.Counted != nil:
		r.Total = l.count
	}
	return r
}

// count is a query that counts the whole list.
func (l List[T]) count(s *store.SQL) string {
	from := l.From
	if l.Counted != nil {
		from = l.Counted
	}
	return "SELECT count(*)" + clauses(from)(s)
}

// Size is how many rows the whole list has, given the column total of a page of it.
func (l List[T]) Size(total int) int {
	if l.Total != nil {
		return total
	}
	return l.Kept.read(total)
}

// Sorted are the sort keys of the list.
func (l List[T]) Sorted() []page.Key { return l.Keys }

// WritePage writes a SELECT of a page of the whole list, with the columns total and those
// given.
func (l List[T]) WritePage(s *store.SQL, plan *page.Query, columns string) {
	if l.Columns = columns; !plan.Counted() {
		l.Columns = "0 AS total, " + columns
	}
	l.reading().Write(s, plan)
}

// WritePages writes a SELECT of the same page of the list of each owner, with the columns
// total, owner, place and those given. place is the position of the row in the owner's
// list, or 0 if the rows of each owner come in order.
func (l List[T]) WritePages(s *store.SQL, plan *page.Query, owners page.Owners, columns string) {
	l.Columns = columns
	if l.With != nil {
		l.With(s)
	}
	if l.Ranked == "" {
		if id, ok := owners.Single(s); ok {
			l.one(s, plan, id)
			return
		}
	}
	if l.Each != nil {
		l.each(s, plan, owners)
		return
	}
	l.pages(s, plan, owners)
}

func clauses(from func(s *store.SQL)) func(s *store.SQL) string {
	return func(s *store.SQL) string { return " FROM " + s.Piece(from) }
}

// Statement returns the query of a page of the whole list.
func (l List[T]) Statement(ctx context.Context, args page.Args) (*store.SQL, error) {
	plan, err := l.Plan(ctx, args)
	if err != nil {
		return nil, err
	}
	return l.reading().Statement(plan), nil
}

// Page reads one page of the whole list.
func (l List[T]) Page(ctx context.Context, args page.Args) (page.Page[T], error) {
	plan, err := l.Plan(ctx, args)
	if err != nil {
		return page.Page[T]{}, err
	}
	return l.reading().Page(l.planned(ctx), l.Store, plan)
}

// Count counts the whole list.
func (l List[T]) Count(ctx context.Context) (int, error) {
	return l.reading().Count(l.planned(ctx), l.Store)
}

// IsByValue returns ByValue.
func (l List[T]) IsByValue() bool { return l.ByValue }

// ByValue is what List.ByValue is for a filter: it has conditions, and none of those that
// are named, which only few rows meet, whatever the value.
func ByValue(filter any, few ...bool) bool {
	return !reflect.ValueOf(filter).IsZero() && !slices.Contains(few, true)
}

// planned returns the context of reads of the whole list.
func (l List[T]) planned(ctx context.Context) context.Context {
	if l.ByValue {
		return store.PlannedAnew(ctx)
	}
	return ctx
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

// one is WritePages for one owner. It reads no more rows than the page has, unless they
// have to be sorted without an index.
func (l List[T]) one(s *store.SQL, plan *page.Query, id string) {
	from := l.From
	if l.Each != nil {
		from = l.Each
	}
	rows := s.Piece(from) + " AND " + l.Owner + " = " + id
	order := plan.OrderBy()
	s.Write("SELECT " + l.total(s, plan, rows, id) + " AS total, " + l.Owner + " AS owner, 0 AS place, " +
		l.Columns + " FROM " + rows + " AND " + plan.Where(s))
	s.Write(fmt.Sprintf(" ORDER BY %s LIMIT %d OFFSET %d", order, plan.Limit(), plan.Offset()))
}

// total writes the number of an owner's rows, given the rows; 0 if nobody asks for it.
func (l List[T]) total(s *store.SQL, plan *page.Query, rows, owner string) string {
	switch {
	case !plan.Counted():
		return "0"
	case l.Total != nil:
		return "coalesce((" + s.Piece(func(s *store.SQL) { l.Total(s, owner) }) + "), 0)"
	}
	return "(SELECT count(*) FROM " + rows + ")"
}

// each is WritePages for a list with Each. It reads no more rows of an owner than the
// page has, unless they have to be sorted without an index. A lateral join is read owner
// by owner, so the rows of each owner come in order; a window that numbers them would
// cost as much as reading them.
func (l List[T]) each(s *store.SQL, plan *page.Query, owners page.Owners) {
	total, counted, order := "0", "", plan.OrderBy()
	rows := s.Piece(l.Each) + " AND " + l.Owner + " = o.owner"
	if plan.Counted() {
		of := "SELECT count(*) FROM " + rows
		if l.Total != nil {
			of = s.Piece(func(s *store.SQL) { l.Total(s, "o.owner") })
		}
		total, counted = "coalesce(n.total, 0)", " LEFT JOIN LATERAL ("+of+" OFFSET 0) AS n(total) ON true"
	}
	s.Write("SELECT " + total + " AS total, o.owner, r.* FROM unnest(" + owners.List(s, l.Store) + "::bigint[]) AS o(owner)" + counted +
		" CROSS JOIN LATERAL (SELECT 0 AS place, " + l.Columns + " FROM " + rows + " AND " + plan.Where(s))
	s.Write(fmt.Sprintf(" ORDER BY %s LIMIT %d OFFSET %d) AS r", order, plan.Limit(), plan.Offset()))
}

// pages is WritePages for many owners: it numbers all of their rows.
func (l List[T]) pages(s *store.SQL, plan *page.Query, owners page.Owners) {
	shown, ranked := "r.*", l.Columns
	if l.Ranked != "" {
		shown, ranked = "r.owner, r.place, "+l.Columns, l.Ranked
	}
	total, counted := "0", ""
	from := s.Piece(l.From) + " AND " + l.Store.In(l.Owner, owners.List(s, l.Store))
	switch {
	case plan.Counted() && l.Total != nil:
		total = l.total(s, plan, "", "r.owner")
	case plan.Counted():
		total, counted = "n.total", "JOIN (SELECT "+l.Owner+" AS counted, count(*) AS total FROM "+from+" GROUP BY "+l.Owner+") n ON n.counted = r.owner "
	}
	s.Write("SELECT " + total + " AS total, " + shown + " FROM (SELECT " + l.Owner + " AS owner, row_number() OVER (PARTITION BY " + l.Owner + " ORDER BY " + plan.OrderBy() + ") AS place, " + ranked +
		" FROM " + from + " AND " + plan.Where(s))
	s.Write(fmt.Sprintf(") AS r %s%s WHERE r.place > %d AND r.place <= %d ORDER BY r.owner, r.place", counted, l.Rest, plan.Offset(), plan.Offset()+plan.Limit()))
}

// Counts counts the list of each owner, in one statement.
func (l List[T]) Counts(ctx context.Context, owners []int64) (map[int64]int, error) {
	var s store.SQL
	if l.With != nil {
		l.With(&s)
	}
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

// ByID reads every row of a list, by its id. The list must be filtered to a few ids.
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
