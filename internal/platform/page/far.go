package page

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
)

// far is how many rows have to be skipped before it pays to look for the rows of the page
// by the keys alone: an index has those, and the rows that are skipped are not read.
const far = 500

// IsFar reports whether the page begins so far into the list that its rows are looked for
// by the keys.
func (q *Query) IsFar() bool { return q.offset >= far }

// Signature names the list and its order, for which a place holds.
func (q *Query) Signature() string { return q.list.signature() }

// Place is where a row stands in a list.
type Place struct {
	// At is how many rows stand before it.
	At int
	// Keys are its values of the sort keys. They are nil for the first row, and for the
	// end of the list.
	Keys []any
}

// Near is what is known of a list in which a page is looked for.
type Near struct {
	// Same is the condition under which it still holds.
	Same string
	// Rows is how many rows the list has.
	Rows int
	// Place is the place nearest to the page.
	Place Place
}

// counted names the number of all rows in the statement of a counted far page, which needs
// it more than once.
const counted = "(SELECT total FROM counted)"

// RowBits is how many of the lower bits of a total are the number of rows; those above are
// for whoever keeps the number.
const RowBits = 32

// eitherEnd reports whether a far page may be looked for from the end of the list, too: the
// statement knows where that is if it counts the rows. Rows with a table expression of
// their own are all found first, so both ends are equally far.
func (r Reading) eitherEnd(q *Query) bool { return q.IsFar() && q.counted && r.With == nil }

// farPage returns the clauses of the rows of a far page, given those of the list. The rows
// are found by all their keys, which each has for itself.
func (r Reading) farPage(s *store.SQL, q *Query, from string) string {
	var found string
	if r.eitherEnd(q) {
		found = r.fromEither(s, q, from)
	} else {
		found = q.skip(from, false, strconv.Itoa(q.Limit()), s.Arg(int64(q.offset)))
	}
	var same strings.Builder
	for i, k := range q.list.Keys {
		// A sign that keeps SQLite from sorting by its index goes.
		fmt.Fprintf(&same, " AND %s = far.k%d", strings.TrimPrefix(k.SQL, "+"), i)
	}
	// The number is for PostgreSQL, which cannot know how few rows are found; the CROSS JOIN
	// for SQLite, which would read the list in its order.
	return fmt.Sprintf(" FROM (SELECT * FROM (%s) keys LIMIT %d) far CROSS JOIN %s",
		found, q.Limit(), strings.TrimPrefix(from, " FROM ")+same.String())
}

// fromEither reads the keys of a far page that is counted, starting from a place that
// is known, if there is one and it still holds, else from the nearer one of the list's
// beginning and its end.
func (r Reading) fromEither(s *store.SQL, q *Query, from string) string {
	var near *Near
	if r.Near != nil {
		near = r.Near(q)
	}
	changed, sought := "true", ""
	if near != nil {
		changed = "NOT (" + near.Same + ")"
		if q.offset < near.Rows {
			sought = " UNION ALL " + q.seek(s, near, from)
		}
	}
	at, rows, limit := s.Arg(int64(q.offset)), fmt.Sprintf("(%s & %d)", counted, int64(1)<<RowBits-1), q.Limit()
	forward := q.skip(from, false, fmt.Sprintf("CASE WHEN %s AND %s <= %s / 2 THEN %d ELSE 0 END", changed, at, rows, limit), at)
	// The page may be the last one, with fewer rows.
	backward := q.skip(from, true, fmt.Sprintf("CASE WHEN NOT (%s) OR %s <= %s / 2 OR %s >= %s THEN 0 WHEN %s - %s < %d THEN %s - %s ELSE %d END",
		changed, at, rows, at, rows, rows, at, limit, rows, at, limit),
		fmt.Sprintf("CASE WHEN %s - %s > %d THEN %s - %s - %d ELSE 0 END", rows, at, limit, rows, at, limit))
	return forward + " UNION ALL " + backward + sought
}

// seek reads the keys of a far page, starting from a place before or behind its first
// row, if the place still holds.
func (q *Query) seek(s *store.SQL, near *Near, from string) string {
	whileSame := func(rows int) string { return fmt.Sprintf("CASE WHEN %s THEN %d ELSE 0 END", near.Same, rows) }
	place := func(before bool) string {
		if near.Place.Keys == nil {
			return from
		}
		return from + " AND " + q.list.beyond(s, near.Place.Keys, before, !before)
	}
	ahead := near.Place.At - q.offset
	if ahead <= 0 {
		return q.skip(place(false), false, whileSame(q.Limit()), s.Arg(int64(-ahead)))
	}
	rows := min(ahead, q.Limit())
	found := q.skip(place(true), true, whileSame(rows), s.Arg(int64(ahead-rows)))
	if rows < q.Limit() && near.Place.At < near.Rows { // the place is on the page
		found += " UNION ALL " + q.skip(place(false), false, whileSame(q.Limit()-rows), "0")
	}
	return found
}

// skip reads the keys of so many rows that follow skipped ones, from the beginning of
// a list or, backward, from its end.
func (q *Query) skip(from string, backward bool, limit, skipped string) string {
	reversed := *q
	reversed.backward = backward
	return fmt.Sprintf("SELECT * FROM (SELECT %s%s ORDER BY %s LIMIT %s OFFSET %s) rest", q.list.named(), from, reversed.OrderBy(), limit, skipped)
}

// named are the sort keys with the names k0, k1 and so on.
func (l List) named() string {
	columns := make([]string, len(l.Keys))
	for i, k := range l.Keys {
		columns[i] = fmt.Sprintf("%s AS k%d", k.SQL, i)
	}
	return strings.Join(columns, ", ")
}

// Sample reads where every so many rows of a list stand, in one walk over its keys, and the
// mark of that state.
func (r Reading) Sample(ctx context.Context, from store.Querier, q *Query, every int, mark func(s *store.SQL) string) (places []Place, at int64, err error) {
	var s store.SQL
	clauses := r.From(&s)
	names := make([]string, len(q.list.Keys))
	for i := range names {
		names[i] = fmt.Sprintf("k%d", i)
	}
	s.Write(fmt.Sprintf("SELECT (%s) AS mark, n - 1 AS place, %s FROM (SELECT row_number() OVER (ORDER BY %s) AS n, %s%s) placed WHERE (n - 1) %% %d = 0 ORDER BY n",
		mark(&s), strings.Join(names, ", "), q.OrderBy(), q.list.named(), clauses, every))
	places, err = store.Collect(ctx, from, func(row store.Scanner) (p Place, err error) {
		p.Keys = make([]any, len(q.list.Keys))
		dest := []any{&at, &p.At}
		for _, k := range q.list.Keys {
			dest = append(dest, k.Kind.dest())
		}
		err = row.Scan(dest...)
		for i := range p.Keys {
			p.Keys[i] = reflect.ValueOf(dest[2+i]).Elem().Interface()
		}
		return p, err
	}, s.Text(), s.Args()...)
	return places, at, err
}

// dest is where a value of the kind is scanned to.
func (k Kind) dest() any {
	switch k {
	case Int:
		return new(int64)
	case Time:
		return new(time.Time)
	case Day:
		return new(date.Date)
	}
	return new(string)
}

// columns are the sort keys, for a comparison of rows.
func (l List) columns() string {
	columns := make([]string, len(l.Keys))
	for i, k := range l.Keys {
		columns[i] = k.SQL
	}
	return strings.Join(columns, ", ")
}
