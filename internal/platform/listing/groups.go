package listing

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// Dimension is something that the rows of a list can be grouped by.
type Dimension struct {
	// Join writes a LEFT JOIN of what has the value, under an alias, to the columns
	// Rows.Row of the rows x; nil if those have it. A row to which several are joined is in
	// the group of each.
	Join func(s *store.SQL, alias string)
	// Value is the value, given the alias, as filters take it.
	Value func(alias string) string
	// Label writes a query of the value as people read it; nil for the value itself.
	Label func(s *store.SQL, value string) string
}

// Group is how many rows have the same values. A nil value is none.
type Group struct {
	Values, Labels []*string
	Count          int64
}

// maxGroups bounds how many groups are answered.
const maxGroups = 100

// checkGroups refuses what rows cannot be grouped by.
func (l Rows) checkGroups(by []string, first int) error {
	var refused problem.List
	if len(by) < 1 || len(by) > page.GroupKeys {
		refused.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must hold 1 to %d elements", page.GroupKeys), "by").With("max", page.GroupKeys))
	}
	for i, name := range by {
		if slices.Contains(by[:i], name) {
			refused.Add(problem.Invalid(problem.DuplicateKey, "stands here twice", "by", strconv.Itoa(i)))
		}
	}
	if first < 1 || first > maxGroups {
		refused.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be from 1 to %d", maxGroups), "first").With("max", maxGroups))
	}
	return refused.Err()
}

// WriteGroups writes a SELECT of the largest groups g of the rows, of each owner if there
// is a placeholder of their ids. Besides the columns that are asked for it has 0 as total,
// owner and place, by which the groups of an owner are sorted. The columns v0, v1 … and
// l0, l1 … are the values and labels, NULL beyond those that are grouped by; n is the
// count. The values of as few groups as are answered get a label.
func (l Rows) WriteGroups(s *store.SQL, by []string, first int, owners, columns string) error {
	if err := l.checkGroups(by, first); err != nil {
		return err
	}
	owner, row := "CAST(0 AS bigint)", l.Row
	if owners != "" {
		owner, row = "x.owner", row+", "+l.Owner+" AS owner"
	}
	dimensions := l.Dimensions()
	var values, joins, order, labels strings.Builder
	grouped := "1"
	for i := range page.GroupKeys {
		n := strconv.Itoa(i)
		if i >= len(by) {
			labels.WriteString(", NULL AS v" + n + ", NULL AS l" + n)
			continue
		}
		d := dimensions[by[i]]
		if d.Join != nil {
			joins.WriteString(s.Piece(func(s *store.SQL) { d.Join(s, "d"+n) }))
		}
		values.WriteString(", " + d.Value("d"+n) + " AS v" + n)
		grouped += ", " + strconv.Itoa(i+2)
		order.WriteString(", y.v" + n + " IS NULL, y.v" + n)
		label := "CAST(h.v" + n + " AS text)"
		labels.WriteString(", " + label + " AS v" + n)
		if d.Label != nil {
			label = d.Label(s, "h.v"+n)
		}
		labels.WriteString(", " + label + " AS l" + n)
	}
	few, most := "", ""
	if owners == "" { // the largest of very many are found without a sort of all
		few, most = "SELECT y.* FROM (", ") y ORDER BY y.n DESC"+order.String()+" LIMIT "+s.Arg(first)
	}
	s.Write("SELECT 0 AS total, g.owner, g.place, " + columns + " FROM (SELECT h.owner, h.place, h.n" + labels.String() +
		" FROM (SELECT y.*, row_number() OVER (PARTITION BY y.owner ORDER BY y.n DESC" + order.String() + ") AS place FROM (" + few + "SELECT " + owner + " AS owner" + values.String() +
		", count(*) AS n FROM (")
	if l.With != nil {
		l.With(s)
	}
	s.Write("SELECT " + row + " FROM ")
	l.From(s)
	if owners != "" {
		s.Write(" AND " + l.Store.In(l.Owner, owners))
	}
	s.Write(") x"+joins.String()+" GROUP BY "+grouped+most+") y) h WHERE h.place <= ?) g", first)
	return nil
}

// Groups reads the largest groups of the rows of each owner; without owners, of all rows,
// under the id 0.
func (l Rows) Groups(ctx context.Context, by []string, first int, owners []int64) (map[int64][]Group, error) {
	var s store.SQL
	of := ""
	if owners != nil {
		of = s.Arg(l.Store.List(owners))
	}
	columns := "g.n"
	for i := range by {
		columns += fmt.Sprintf(", g.v%d, g.l%d", i, i)
	}
	if err := l.WriteGroups(&s, by, first, of, columns); err != nil {
		return nil, err
	}
	s.Write(" ORDER BY g.owner, g.place")
	groups := map[int64][]Group{}
	_, err := store.Collect(l.planned(ctx), l.Store, func(r store.Scanner) (struct{}, error) {
		var total, owner, place int64
		g := Group{Values: make([]*string, len(by)), Labels: make([]*string, len(by))}
		dest := []any{&total, &owner, &place, &g.Count}
		for i := range by {
			dest = append(dest, &g.Values[i], &g.Labels[i])
		}
		err := r.Scan(dest...)
		groups[owner] = append(groups[owner], g)
		return struct{}{}, err
	}, s.Text(), s.Args()...)
	return groups, err
}
