package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/page"
	"github.com/uplinehq/upline/internal/store"
)

// Downlines returns the same page of those below each of several agents,
// nearest first: "exact level wins" over a range. Every agent asked for has a
// page.
func (v View) Downlines(ctx context.Context, q store.Querier, roots []int64, levels Range, args page.Args) (map[int64]page.Page[Relation], error) {
	l, err := list(ctx, "downline", byLevel, byDescendant)
	if err != nil {
		return nil, err
	}
	plan, err := l.Plan(ctx, args)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	isRoot := among(q, &s, roots)
	from := v.below(&s, l.TenantID, isRoot, levels)
	piece := window{plan.OrderBy(), plan.Offset(), plan.Limit()}.ofEach(len(roots), from+" AND "+plan.Where(&s))
	totals := map[int64]int{}
	columns, join := "0", ""
	if plan.Counted() {
		columns, join = "coalesce(n.total, 0)", " LEFT JOIN ("+v.totals(&s, l.TenantID, isRoot, levels, from)+") n ON n.root_id = r.ancestor_id"
	}
	s.Write("SELECT " + columns + ", r.ancestor_id, r.descendant_id, r.level FROM (" + piece + ") r" + join + " ORDER BY " + plan.OrderBy())
	found, err := store.Collect(ctx, q, func(row store.Scanner) (Relation, error) {
		var total int
		r, err := scanRelation(store.After(row, &total))
		totals[r.AncestorID] = total
		return r, err
	}, s.Text(), s.Args()...)
	if err != nil {
		return nil, err
	}
	byRoot := make(map[int64][]Relation, len(roots))
	for _, r := range found {
		byRoot[r.AncestorID] = append(byRoot[r.AncestorID], r)
	}
	if err := plan.Complete(roots, totals, func(empty []int64) (map[int64]int, error) { return v.counts(ctx, q, l.TenantID, empty, levels) }); err != nil {
		return nil, err
	}
	pages := make(map[int64]page.Page[Relation], len(roots))
	for _, id := range roots {
		p := page.Cut(plan, byRoot[id], places(l))
		p.Total = totals[id]
		pages[id] = p
	}
	return pages, nil
}

// totals returns a query of how many are below each of several agents: columns
// root_id and total. Everyone below today is read, not counted. from holds the
// clauses of below.
func (v View) totals(s *store.SQL, tenantID int64, isRoot func(column string) string, levels Range, from string) string {
	if v.Flattened() && levels.isAll() {
		return "SELECT n.agent_id AS root_id, n.downline_count AS total" + v.nodes(s, tenantID) + " AND " + isRoot("n.agent_id")
	}
	return "SELECT r.ancestor_id AS root_id, count(*) AS total" + from + " GROUP BY r.ancestor_id"
}

// counts counts those below each of several agents.
func (v View) counts(ctx context.Context, q store.Querier, tenantID int64, roots []int64, levels Range) (map[int64]int, error) {
	var s store.SQL
	isRoot := among(q, &s, roots)
	from := v.below(&s, tenantID, isRoot, levels)
	s.Write(v.totals(&s, tenantID, isRoot, levels, from))
	counts, err := collectByRoot(ctx, q, store.ScanOne[int], &s)
	return single(counts), err
}
