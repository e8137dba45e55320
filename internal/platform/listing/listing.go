// Package listing reads lists of rows that can be filtered, sorted and paged: a whole
// list, or the lists of several owners at once. An area says what its rows are and how
// they are read; a door asks for pages and counts.
package listing

import (
	"cmp"
	"context"
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
		r.With = l.With
		r.From = func(s *store.SQL) string {
			l.With(s)
			return clauses(l.From)(s)
		}
	}
	switch {
	case l.Kept != nil:
		r.Total = func(s *store.SQL) string { return l.Kept.write(s, l.count) }
		r.Told, r.Near = l.Kept.told, l.Kept.near
	case l.Total != nil || l.Whole != nil || l.Counted != nil:
		r.Total = l.count
	}
	return r
}

// count is a query that counts the whole list.
func (l List[T]) count(s *store.SQL) string {
	if l.Total != nil {
		return s.Piece(func(s *store.SQL) { l.Total(s, "") })
	}
	from := l.From
	if l.Counted != nil {
		from = l.Counted
	}
	return "SELECT count(*)" + clauses(from)(s)
}

// Told is how many rows the whole list has, given the column total of the page q of it.
// If the page is far into the list, first are the values of the sort keys of its first
// row.
func (l List[T]) Told(q *page.Query, total int, first []any) int {
	return l.Kept.told(q, total, first)
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
