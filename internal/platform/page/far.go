package page

import (
	"fmt"
	"strings"

	"github.com/uplinehq/upline/internal/platform/store"
)

// far is how many rows have to be skipped before it pays to look for the first row of the
// page by the keys alone: an index has those, and the rows that are skipped are not read.
const far = 500

// IsFar reports whether the page begins so far into the list that its first row is looked
// for by the keys.
func (q *Query) IsFar() bool { return q.offset >= far && q.list.sameDirection() }

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
func (r Reading[T]) eitherEnd(q *Query) bool { return q.IsFar() && q.counted && r.With == nil }

// fromPlace is the condition that skips the rows before a far page. Without a row on the
// page its first row is null, and the condition meets no row.
func (r Reading[T]) fromPlace(s *store.SQL, q *Query, from string) string {
	var first string
	if r.eitherEnd(q) {
		first = r.fromEither(s, q, from)
	} else {
		first = q.skip("1", from, false, s.Arg(int64(q.offset)))
	}
	return fmt.Sprintf("(%s) %s (%s)", q.list.columns(), operator(q.list.Keys[0].Desc)+"=", first)
}

// fromEither reads the keys of the first row of a far page that is counted, starting from
// a place that is known, if there is one and it still holds, else from the nearer one of
// the list's beginning and its end.
func (r Reading[T]) fromEither(s *store.SQL, q *Query, from string) string {
	var near *Near
	if r.Near != nil {
		near = r.Near(q)
	}
	changed, sought := "true", ""
	if near != nil {
		changed = "NOT (" + near.Same + ")"
		if q.offset < near.Rows {
			sought = " UNION ALL SELECT * FROM (" + q.seek(s, near, from) + ") sought"
		}
	}
	at, rows := s.Arg(int64(q.offset)), fmt.Sprintf("(%s & %d)", counted, int64(1)<<RowBits-1)
	return "SELECT * FROM (" + q.skip(fmt.Sprintf("CASE WHEN %s AND %s <= %s / 2 THEN 1 ELSE 0 END", changed, at, rows), from, false, at) + ") forward" +
		" UNION ALL SELECT * FROM (" + q.skip(fmt.Sprintf("CASE WHEN %s AND %s > %s / 2 AND %s < %s THEN 1 ELSE 0 END", changed, at, rows, at, rows), from, true,
		fmt.Sprintf("CASE WHEN %s < %s THEN %s - %s - 1 ELSE 0 END", at, rows, rows, at)) + ") backward" + sought
}

// seek reads the keys of the first row of a far page, starting from a place before or
// behind it, if the place still holds.
func (q *Query) seek(s *store.SQL, near *Near, from string) string {
	skipped, backward := q.offset-near.Place.At, false
	if skipped < 0 {
		skipped, backward = -skipped-1, true
	}
	if near.Place.Keys != nil {
		placeholders := make([]string, len(near.Place.Keys))
		for i, v := range near.Place.Keys {
			placeholders[i] = s.Arg(v)
		}
		than := operator(q.list.Keys[0].Desc != backward)
		if !backward {
			than += "=" // the place itself may begin the page
		}
		from += fmt.Sprintf(" AND (%s) %s (%s)", q.list.columns(), than, strings.Join(placeholders, ", "))
	}
	return q.skip("CASE WHEN "+near.Same+" THEN 1 ELSE 0 END", from, backward, s.Arg(int64(skipped)))
}

// skip reads the keys of the row that follows so many skipped ones, from the beginning of
// the list or, backward, from its end.
func (q *Query) skip(limit, from string, backward bool, skipped string) string {
	reversed := *q
	reversed.backward = backward
	return fmt.Sprintf("SELECT %s%s ORDER BY %s LIMIT %s OFFSET %s", q.list.columns(), from, reversed.OrderBy(), limit, skipped)
}

// columns are the sort keys, for a comparison of rows.
func (l List) columns() string {
	columns := make([]string, len(l.Keys))
	for i, k := range l.Keys {
		columns[i] = k.SQL
	}
	return strings.Join(columns, ", ")
}
