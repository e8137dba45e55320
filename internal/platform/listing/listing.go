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
	"github.com/uplinehq/upline/internal/tenant"
)

// Rows are the rows of a list, in their order: a page of them, their number, or the same
// page for each of several owners. Whoever reads them names the columns.
type Rows struct {
	// Store is the database that they are read from.
	Store store.Querier
	// Name is the name of the list in cursors.
	Name string
	// With writes a common table expression that From names, for rows that are expensive
	// to find, so that a page and its total find them once. Usually nil.
	With func(s *store.SQL)
	// From writes the FROM and WHERE clauses, tenant included.
	From func(s *store.SQL)
	// OfPage returns what writes From for one page, without rows that the page cannot have;
	// nil for From. It is for rows that are known before the statement is written.
	OfPage func(plan *page.Query) func(s *store.SQL)
	// Whole writes the same in the order in which SQLite is to join when it reads a page
	// of the whole list; nil for From.
	Whole func(s *store.SQL)
	// Each writes the same without the condition on the owner, in the order in which
	// PostgreSQL is to join when it reads the pages of owners one after the other; nil if
	// it is to number the rows of all owners instead.
	Each func(s *store.SQL)
	Keys []page.Key
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
	// to them, named r, what the columns need besides. They are for lists that are long
	// for one owner, and read by owner only: all rows are numbered there, so they should
	// be narrow. Empty for all others.
	Ranked, Rest string
	// ByValue is set if it depends on the values of the list's conditions how a page of
	// the whole list is best read: by a condition that few rows meet, or in the order of
	// the keys. PostgreSQL then plans each page with its values.
	ByValue bool
	// Dimensions returns what the rows can be grouped by, and Row are the columns of a row
	// that they join to.
	Dimensions func() map[string]Dimension
	Row        string
}

// Plan checks the arguments of a page of the list.
func (l Rows) Plan(ctx context.Context, args page.Args) (*page.Query, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	q, err := page.List{Name: l.Name, TenantID: t.ID, Keys: l.Keys, Default: cmp.Or(l.Default, t.DefaultPageSize), Max: cmp.Or(l.Max, t.MaxPageSize)}.Plan(ctx, args)
	if err == nil && q.IsFar() {
		err = l.sample(ctx, q)
	}
	return q, err
}

// of returns the list as one page of it is read.
func (l Rows) of(plan *page.Query) Rows {
	if l.OfPage != nil {
		l.From = l.OfPage(plan)
	}
	return l
}

// reading says how a page of the whole list is read.
func (l Rows) reading(columns string) page.Reading {
	r := page.Reading{Columns: columns, From: clauses(l.From)}
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
func (l Rows) count(s *store.SQL) string {
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
func (l Rows) Told(q *page.Query, total int) int { return l.Kept.told(q, total) }

// Sorted are the sort keys of the list.
func (l Rows) Sorted() []page.Key { return l.Keys }

// WritePage writes a SELECT of a page of the whole list, with the columns total and those
// given.
func (l Rows) WritePage(s *store.SQL, plan *page.Query, columns string) {
	if !plan.Counted() {
		columns = "0 AS total, " + columns
	}
	l.of(plan).reading(columns).Write(s, plan)
}

func clauses(from func(s *store.SQL)) func(s *store.SQL) string {
	return func(s *store.SQL) string { return " FROM " + s.Piece(from) }
}

// Count counts the whole list.
func (l Rows) Count(ctx context.Context) (int, error) {
	return l.reading("").Count(l.planned(ctx), l.Store)
}

// IsByValue returns ByValue.
func (l Rows) IsByValue() bool { return l.ByValue }

// ByValue is what Rows.ByValue is for a filter: it has conditions, and none of those that
// are named, which only few rows meet, whatever the value.
func ByValue(filter any, few ...bool) bool {
	return !reflect.ValueOf(filter).IsZero() && !slices.Contains(few, true)
}

// planned returns the context of reads of the whole list.
func (l Rows) planned(ctx context.Context) context.Context {
	if l.ByValue {
		return store.PlannedAnew(ctx)
	}
	return ctx
}
