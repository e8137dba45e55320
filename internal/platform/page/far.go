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

// fromPlace is the condition that skips the rows before a far page. Without a row on the
// page its first row is null, and the condition meets no row.
func (r Reading[T]) fromPlace(s *store.SQL, q *Query, from string) string {
	columns, than := q.list.columns(), operator(q.list.Keys[0].Desc)+"="
	var near *Near
	if r.Near != nil {
		near = r.Near(q)
	}
	if near == nil {
		return fmt.Sprintf("(%s) %s (%s)", columns, than, q.skip(s, "1", from, false, q.offset))
	}
	first := "SELECT * FROM (" + q.skip(s, "CASE WHEN "+near.Same+" THEN 0 ELSE 1 END", from, false, q.offset) + ") skipped"
	if q.offset < near.Rows {
		first += " UNION ALL SELECT * FROM (" + q.seek(s, near, from) + ") sought"
	}
	return fmt.Sprintf("(%s) %s (%s)", columns, than, first)
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
	return q.skip(s, "CASE WHEN "+near.Same+" THEN 1 ELSE 0 END", from, backward, skipped)
}

// skip reads the keys of the row that follows so many skipped ones, from the beginning of
// the list or, backward, from its end.
func (q *Query) skip(s *store.SQL, limit, from string, backward bool, skipped int) string {
	reversed := *q
	reversed.backward = backward
	return fmt.Sprintf("SELECT %s%s ORDER BY %s LIMIT %s OFFSET %s", q.list.columns(), from, reversed.OrderBy(), limit, s.Arg(int64(skipped)))
}

// columns are the sort keys, for a comparison of rows.
func (l List) columns() string {
	columns := make([]string, len(l.Keys))
	for i, k := range l.Keys {
		columns[i] = k.SQL
	}
	return strings.Join(columns, ", ")
}
