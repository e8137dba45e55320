package listing

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// WritePages writes a SELECT of the same page of the list of each owner, with the columns
// total, owner, place and those given. place is the position of the row in the owner's
// list, or 0 if the rows of each owner come in order.
func (l Rows) WritePages(s *store.SQL, plan *page.Query, owners page.Owners, columns string) {
	l = l.of(plan)
	if l.With != nil {
		l.With(s)
	}
	if l.Ranked == "" {
		if id, ok := owners.Single(s); ok {
			l.one(s, plan, id, columns)
			return
		}
	}
	if l.Each != nil {
		l.each(s, plan, owners, columns)
		return
	}
	l.pages(s, plan, owners, columns)
}

// one is WritePages for one owner. It reads no more rows than the page has, unless they
// have to be sorted without an index.
func (l Rows) one(s *store.SQL, plan *page.Query, id, columns string) {
	from := l.From
	if l.Each != nil {
		from = l.Each
	}
	rows := s.Piece(from) + " AND " + l.Owner + " = " + id
	order := plan.OrderBy()
	s.Write("SELECT " + l.total(s, plan, rows, id) + " AS total, " + l.Owner + " AS owner, 0 AS place, " +
		columns + " FROM " + rows + " AND " + plan.Where(s))
	s.Write(fmt.Sprintf(" ORDER BY %s LIMIT %d OFFSET %d", order, plan.Limit(), plan.Offset()))
}

// total writes the number of an owner's rows, given the rows; 0 if nobody asks for it.
func (l Rows) total(s *store.SQL, plan *page.Query, rows, owner string) string {
	switch {
	case !plan.Counted():
		return "0"
	case l.Total != nil:
		return "coalesce((" + s.Piece(func(s *store.SQL) { l.Total(s, owner) }) + "), 0)"
	}
	// Without groups SQLite begins with another table than the owner's, and reads all of
	// the tenant's rows of it.
	return "coalesce((SELECT count(*) FROM " + rows + " GROUP BY " + l.Owner + "), 0)"
}

// each is WritePages for a list with Each. It reads no more rows of an owner than the
// page has, unless they have to be sorted without an index. A lateral join is read owner
// by owner, so the rows of each owner come in order; a window that numbers them would
// cost as much as reading them.
func (l Rows) each(s *store.SQL, plan *page.Query, owners page.Owners, columns string) {
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
		" CROSS JOIN LATERAL (SELECT 0 AS place, " + columns + " FROM " + rows + " AND " + plan.Where(s))
	s.Write(fmt.Sprintf(" ORDER BY %s LIMIT %d OFFSET %d) AS r", order, plan.Limit(), plan.Offset()))
}

// pages is WritePages for many owners: it numbers all of their rows.
func (l Rows) pages(s *store.SQL, plan *page.Query, owners page.Owners, columns string) {
	shown, ranked := "r.*", columns
	if l.Ranked != "" {
		shown, ranked = "r.owner, r.place, "+columns, l.Ranked
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
func (l Rows) Counts(ctx context.Context, owners []int64) (map[int64]int, error) {
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
