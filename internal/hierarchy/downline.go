package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/page"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
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
	from := v.below(&s, l.TenantID, among(q, &s, roots), levels) + " AND " + plan.Where(&s)
	piece := window{plan.OrderBy(), plan.Offset(), plan.Limit()}.ofEach(len(roots), from)
	s.Write("SELECT r.ancestor_id, r.descendant_id, r.level FROM (" + piece + ") r ORDER BY " + plan.OrderBy())
	found, err := store.Collect(ctx, q, scanRelation, s.Text(), s.Args()...)
	if err != nil {
		return nil, err
	}
	byRoot := make(map[int64][]Relation, len(roots))
	for _, r := range found {
		byRoot[r.AncestorID] = append(byRoot[r.AncestorID], r)
	}
	pages := make(map[int64]page.Page[Relation], len(roots))
	for _, id := range roots {
		pages[id] = page.Cut(plan, byRoot[id], places(l))
	}
	return pages, nil
}

// DownlineCounts counts those below each of several agents; one that is left
// out has nobody below. Everyone below today is read, not counted.
func (v View) DownlineCounts(ctx context.Context, q store.Querier, roots []int64, levels Range) (map[int64]int, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	isRoot := among(q, &s, roots)
	if v.Flattened() && levels.isAll() {
		s.Write("SELECT n.agent_id, n.downline_count" + v.nodes(&s, tenantID) + " AND " + isRoot("n.agent_id"))
	} else {
		from := v.below(&s, tenantID, isRoot, levels)
		s.Write("SELECT r.ancestor_id, count(*)" + from + " GROUP BY r.ancestor_id")
	}
	counts, err := collectByRoot(ctx, q, store.ScanOne[int], &s)
	return single(counts), err
}

// downlineCount reads how many are below an agent today. agent is SQL for its
// id, over the argument $3.
func (v View) downlineCount(ctx context.Context, q store.Querier, tenantID int64, agent string, arg any) (n int, err error) {
	_, err = store.One(ctx, q, []any{&n}, "SELECT n.downline_count FROM hierarchy_node n WHERE n.tenant_id = $1 AND n.team_id = $2 AND n.agent_id = "+agent,
		tenantID, v.TeamID, arg)
	return n, err
}
