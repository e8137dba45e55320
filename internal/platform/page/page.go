// Package page cuts lists into pages: by cursor, which stays valid while rows are added
// and removed, or by offset, for numbered pages.
//
// A list has sort keys; the last one is unique, so that the order of rows is unique. One
// row more than the page has is read, to see whether another page follows; all rows are
// counted only when that is asked for.
package page

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// Args are the paging arguments of a list, as clients give them.
type Args struct {
	First, Last   *int
	After, Before *string
	Offset        *int
	// Counted asks for the number of all rows, too.
	Counted bool
}

// Kind is how a cursor keeps the value of a sort key.
type Kind int

// The kinds of sort keys.
const (
	Text Kind = iota // string
	Int              // int64
	Time             // time.Time
	Day              // date.Date
	UUID             // text of the form 019a9f0c-6f80-7d3e-9c55-0a4b7c1d2e3f
)

// GroupKeys is by how many values at once the rows of a list can be grouped.
const GroupKeys = 3

// Key is one sort key of a list.
type Key struct {
	// Name is the name of the key in cursors.
	Name string
	// SQL is the expression to sort by; it is never NULL.
	SQL  string
	Kind Kind
	Desc bool
}

// Value is SQL for the value of the key. The plus sign that hides the index of a column
// from SQLite would hide its type, too.
func (k Key) Value() string { return strings.TrimPrefix(k.SQL, "+") }

// List describes a list that can be paged.
type List struct {
	// Name is the name of the list in cursors.
	Name string
	// TenantID is the tenant whose cursors are accepted.
	TenantID int64
	Keys     []Key
	// Default and Max are the default and the largest number of rows of a page.
	Default, Max int
}

type atLeastKey struct{}

// WithAtLeast returns a context in which every page may have that many rows, whatever the
// maximum of its list. It is for exports, which nobody waits for.
func WithAtLeast(ctx context.Context, rows int) context.Context {
	return context.WithValue(ctx, atLeastKey{}, rows)
}

// Most is how many rows a page may have in a context, if a request may ask for that many.
func Most(ctx context.Context, usual int) int {
	atLeast, _ := ctx.Value(atLeastKey{}).(int)
	return max(usual, atLeast)
}

// Query is one page of a list, ready to become part of a statement.
type Query struct {
	list          List
	limit, offset int
	backward      bool
	counted       bool
	after, before []any
}

// given returns a cursor; an empty one, which clients send for the first page, counts as
// none.
func given(cursor *string) *string {
	if cursor != nil && *cursor == "" {
		return nil
	}
	return cursor
}

// Plan checks the arguments against the list.
func (l List) Plan(ctx context.Context, a Args) (*Query, error) {
	l.Max = Most(ctx, l.Max)
	a.After, a.Before = given(a.After), given(a.Before)
	q := &Query{list: l, limit: l.Default, counted: a.Counted}
	var refused problem.List
	for _, size := range []struct {
		name  string
		value *int
	}{{"first", a.First}, {"last", a.Last}} {
		refused.Add(l.checkSize(size.name, size.value))
	}
	if a.First != nil && a.Last != nil {
		refused.Add(problem.Invalid(problem.OutOfRange, "Give first or last, not both", "last"))
	}
	if a.Offset != nil {
		refused.Add(checkOffset(a))
		q.offset = *a.Offset
	}
	var err error
	if q.after, err = l.read("after", a.After); err != nil {
		refused = append(refused, problem.From(err)...)
	}
	if q.before, err = l.read("before", a.Before); err != nil {
		refused = append(refused, problem.From(err)...)
	}
	switch {
	case a.First != nil:
		q.limit = *a.First
	case a.Last != nil:
		q.limit, q.backward = *a.Last, true
	}
	return q, refused.Err()
}

func (l List) checkSize(field string, size *int) *problem.Error {
	switch {
	case size == nil:
		return nil
	case *size > l.Max:
		// "400 with a message of the form Page Size cannot exceed <max>; it is
		// never silently truncated" (Errors, 2).
		return problem.Invalid(problem.PageSizeExceeded, fmt.Sprintf("Page Size cannot exceed %d", l.Max), field).With("max", l.Max)
	case *size < 0:
		return problem.Invalid(problem.OutOfRange, "must not be negative", field)
	}
	return nil
}

func checkOffset(a Args) *problem.Error {
	switch {
	case *a.Offset < 0:
		return problem.Invalid(problem.OutOfRange, "must not be negative", "offset")
	case a.After != nil || a.Before != nil || a.Last != nil:
		return problem.Invalid(problem.OutOfRange, "offset goes with first only, not with last, after or before", "offset")
	}
	return nil
}

// Window returns those of a list's rows that the page, which may begin after others of
// them, can have. The rows are known by numbers in the order of the list; number returns
// that of the values of the keys in a cursor.
func (q *Query) Window(rows []int64, number func(place []any) int64) []int64 {
	if q.before != nil {
		at, _ := slices.BinarySearch(rows, number(q.before))
		rows = rows[:at]
	}
	if q.after != nil {
		at, found := slices.BinarySearch(rows, number(q.after))
		if found {
			at++
		}
		rows = rows[at:]
	}
	most := min(len(rows), q.offset+q.Limit())
	if q.backward {
		return rows[len(rows)-most:]
	}
	return rows[:most]
}

// After returns the values of the keys in the cursor after, nil without one.
func (q *Query) After() []any { return q.after }

// Where returns the condition that keeps the rows between the cursors, "true"
// when there are none. Its arguments are added to s.
func (q *Query) Where(s *store.SQL) string {
	var conditions []string
	if q.after != nil {
		conditions = append(conditions, q.list.beyond(s, q.after, false, false))
	}
	if q.before != nil {
		conditions = append(conditions, q.list.beyond(s, q.before, true, false))
	}
	if conditions == nil {
		return "true"
	}
	return strings.Join(conditions, " AND ")
}

// beyond compares rows with a position: after it, or before it; with or without the row
// that stands there. What follows for the first key stands before the rest where that
// cannot be answered from an index on the keys: otherwise each page would be looked for
// from the beginning of the list.
//
//	k1 >= a AND ((k1 > a) OR (k1 = a AND k2 > b) OR …)
func (l List) beyond(s *store.SQL, place []any, before, with bool) string {
	placeholders := make([]string, len(place))
	for i, v := range place {
		placeholders[i] = s.Arg(v)
	}
	first, or := l.Keys[0], ""
	if with {
		or = "="
	}
	from := fmt.Sprintf("%s %s= %s AND ", first.SQL, operator(first.Desc != before), placeholders[0])
	if l.sameDirection() {
		if l.isOfOneTable() { // both databases answer it from an index on the keys
			from = ""
		}
		return fmt.Sprintf("%s(%s) %s%s (%s)", from, l.columns(), operator(first.Desc != before), or, strings.Join(placeholders, ", "))
	}
	alternatives := make([]string, len(l.Keys))
	for i, k := range l.Keys {
		var b strings.Builder
		for j := range i {
			fmt.Fprintf(&b, "%s = %s AND ", l.Keys[j].SQL, placeholders[j])
		}
		if fmt.Fprintf(&b, "%s %s", k.SQL, operator(k.Desc != before)); i == len(l.Keys)-1 {
			b.WriteString(or)
		}
		alternatives[i] = "(" + b.String() + " " + placeholders[i] + ")"
	}
	return fmt.Sprintf("(%s(%s))", from, strings.Join(alternatives, " OR "))
}

// isOfOneTable reports whether all keys are columns of one table.
func (l List) isOfOneTable() bool {
	tableOf := func(k Key) string { return k.SQL[:max(0, strings.IndexByte(k.SQL, '.'))] }
	return !slices.ContainsFunc(l.Keys, func(k Key) bool { return strings.TrimPrefix(tableOf(k), "+") != tableOf(l.Keys[0]) })
}

func (l List) sameDirection() bool {
	return !slices.ContainsFunc(l.Keys, func(k Key) bool { return k.Desc != l.Keys[0].Desc })
}

func operator(smaller bool) string {
	if smaller {
		return "<"
	}
	return ">"
}

// order returns the ORDER BY, LIMIT and OFFSET clauses.
func (q *Query) order(limit string) string {
	s := " ORDER BY " + q.OrderBy() + " LIMIT " + limit
	if q.offset > 0 {
		s += fmt.Sprintf(" OFFSET %d", q.offset)
	}
	return s
}

// OrderBy returns the sort clauses without their keyword, for a window.
func (q *Query) OrderBy() string {
	return q.orderBy(func(i int) string { return q.list.Keys[i].SQL })
}

// OrderByNames is OrderBy for columns that hold the keys, whose names are a prefix and a
// number from 0 on.
func (q *Query) OrderByNames(prefix string) string {
	return q.orderBy(func(i int) string { return prefix + strconv.Itoa(i) })
}

func (q *Query) orderBy(name func(i int) string) string {
	clauses := make([]string, len(q.list.Keys))
	for i, k := range q.list.Keys {
		clauses[i] = name(i)
		if k.Desc != q.backward {
			clauses[i] += " DESC"
		}
	}
	return strings.Join(clauses, ", ")
}

// Limit returns the number of rows to read: one more than the page has.
func (q *Query) Limit() int { return q.limit + 1 }

// Backward reports whether the page is the last one, whose rows are read from the end.
func (q *Query) Backward() bool { return q.backward }

// Offset returns the rows to skip.
func (q *Query) Offset() int { return q.offset }

// Page is a page of a list.
type Page[T any] struct {
	Items            []T
	HasNext, HasPrev bool
	// Total is the number of all rows of the list, if that was asked for.
	Total  int
	cursor func(T) string
}

// Cut makes a page from the rows that were read. place returns a row's values of the sort
// keys, in their order.
func Cut[T any](q *Query, rows []T, place func(T) []any) Page[T] {
	more := len(rows) > q.limit
	if more {
		rows = rows[:q.limit]
	}
	p := Page[T]{Items: rows, cursor: func(row T) string { return q.list.write(place(row)) }}
	if q.backward {
		slices.Reverse(p.Items)
		p.HasPrev, p.HasNext = more, q.before != nil
		return p
	}
	p.HasNext, p.HasPrev = more, q.after != nil || q.offset > 0
	return p
}

// Cursor returns the cursor of a row of the page.
func (p Page[T]) Cursor(row T) string { return p.cursor(row) }

// Only returns the page with the rows that keep accepts. The total is unchanged.
func (p Page[T]) Only(keep func(T) bool) Page[T] {
	items := make([]T, 0, len(p.Items))
	for _, item := range p.Items {
		if keep(item) {
			items = append(items, item)
		}
	}
	p.Total -= len(p.Items) - len(items)
	p.Items = items
	return p
}
