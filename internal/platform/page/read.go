package page

import (
	"context"
	"strconv"

	"github.com/uplinehq/upline/internal/platform/store"
)

// Reading says how the rows of a list are read.
type Reading struct {
	Columns string
	// From writes what precedes SELECT, if anything, and returns the FROM and WHERE
	// clauses, tenant included.
	From func(s *store.SQL) string
	// With writes what has to precede the query of Total when that stands alone; From
	// writes it, too. Nil if there is nothing.
	With func(s *store.SQL)
	// Total returns a query for the number of rows of the list; nil counts the rows of
	// From.
	Total func(s *store.SQL) string
	// Told takes what the page q, nil for none, tells of the list: the result of the query
	// of Total. It returns the number of rows; nil if the result is that number.
	Told func(q *Query, total int) int
	// Near returns a place near a far page. It is asked once the query of Total is
	// written; nil, or a nil place, if no place is known.
	Near func(q *Query) *Near
	// Streamed is set if From reads rows in the order of the keys, or nearly. Then the
	// statement does not tell SQLite how few rows a page has, which would make it use any
	// index and sort all rows.
	Streamed bool
}

// Reader reads the rows of a list into values of a type.
type Reader[T any] struct {
	Reading
	Scan func(store.Scanner) (T, error)
	// Place returns a row's values of the sort keys, in their order.
	Place func(T) []any
}

// Write writes the query of a page. If the page is counted, each row begins with the
// number of all rows, in the column total: one statement sees one state, so the page and
// its total always agree.
func (r Reading) Write(s *store.SQL, q *Query) {
	from, columns := r.From(s), r.Columns
	if q.counted {
		total := "SELECT count(*)" + from
		if r.Total != nil {
			total = r.Total(s)
		}
		if r.eitherEnd(q) {
			s.Write("WITH counted(total) AS MATERIALIZED (" + total + ") ")
			total = "SELECT total FROM counted"
		}
		columns = "(" + total + ") AS total, " + columns
	}
	limit := strconv.Itoa(q.Limit())
	if r.Streamed {
		limit = "CAST(" + limit + " AS bigint)"
	}
	if q.IsFar() {
		s.Write("SELECT " + columns + r.farPage(s, q, from) + " ORDER BY " + q.OrderBy())
		return
	}
	s.Write("SELECT " + columns + from + " AND " + q.Where(s) + q.order(limit))
}

// Count counts the rows of the list.
func (r Reading) Count(ctx context.Context, from store.Querier) (n int, err error) {
	var s store.SQL
	if r.Total != nil {
		if r.With != nil {
			r.With(&s)
		}
		s.Write(r.Total(&s))
	} else {
		from := r.From(&s)
		s.Write("SELECT count(*)" + from)
	}
	_, err = store.One(ctx, from, []any{&n}, s.Text(), s.Args()...)
	return r.told(nil, n), err
}

func (r Reading) told(q *Query, total int) int {
	if r.Told == nil {
		return total
	}
	return r.Told(q, total)
}

// Page reads a page.
func (r Reader[T]) Page(ctx context.Context, from store.Querier, q *Query) (Page[T], error) {
	var s store.SQL
	r.Write(&s, q)
	total, scan := 0, r.Scan
	if q.counted {
		scan = func(row store.Scanner) (T, error) { return r.Scan(store.After(row, &total)) }
	}
	rows, err := store.Collect(ctx, from, scan, s.Text(), s.Args()...)
	switch {
	case err != nil:
	case len(rows) > 0:
		total = r.told(q, total)
	case q.Beyond():
		total, err = r.Count(ctx, from)
		total = q.totalBeyond(total)
	}
	if err != nil {
		return Page[T]{}, err
	}
	p := Cut(q, rows, r.Place)
	p.Total = total
	return p, nil
}

// Counted reports whether the page comes with the number of all rows.
func (q *Query) Counted() bool { return q.counted }

// Beyond reports whether a page without rows, which cannot carry the total, may belong to
// a list that has some: then the list has to be counted separately.
func (q *Query) Beyond() bool {
	return q.counted && (q.offset > 0 || q.after != nil || q.before != nil)
}

// totalBeyond is the total of a list whose page had no rows, given the number n of rows
// that were counted afterwards: the page had skipped all rows.
func (q *Query) totalBeyond(n int) int {
	if q.after == nil && q.before == nil {
		return min(n, q.offset)
	}
	return n
}

// Complete adds the totals for owners whose pages have no rows to carry them. count
// counts the lists of several owners.
func (q *Query) Complete(owners []int64, totals map[int64]int, count func(owners []int64) (map[int64]int, error)) error {
	var missing []int64
	for _, id := range owners {
		if _, ok := totals[id]; !ok {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 || !q.Beyond() {
		return nil
	}
	counted, err := count(missing)
	for id, n := range counted {
		totals[id] = q.totalBeyond(n)
	}
	return err
}
