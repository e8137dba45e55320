package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Subtree describes an agent with everyone below it, on a day.
type Subtree struct {
	// UplineID is the agent's direct upline; 0 for a root.
	UplineID int64
	// Depth is the agent's distance from its root, Height its greatest distance to an
	// agent below.
	Depth, Height int
	// Size counts the agent and everyone below it.
	Size int
}

// onDay is the hierarchy of a day for a change: it is always walked, since what is
// flattened or kept does not include the change under way.
func onDay(teamID int64, day date.Date) View {
	return View{TeamID: teamID, AsOf: history.AsOf{Day: day}}
}

// Subtrees reads the subtrees of agents on a day, with two statements. It walks the
// periods.
func Subtrees(ctx context.Context, q store.Querier, teamID int64, on date.Date, agentIDs []int64) (map[int64]Subtree, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	v := onDay(teamID, on)
	chains, err := v.Chain(ctx, q, agentIDs, maxLevel)
	if err != nil {
		return nil, err
	}
	trees := make(map[int64]Subtree, len(agentIDs))
	for _, id := range agentIDs {
		t := Subtree{Depth: len(chains[id]), Size: 1}
		if t.Depth > 0 {
			t.UplineID = chains[id][0].AgentID
		}
		trees[id] = t
	}
	var s store.SQL
	from := v.walk(&s, tenantID, false, among(q, &s, page.Owners{IDs: agentIDs}), Range{})
	s.Write("SELECT r.ancestor_id, count(*), max(r.level)" + from + " GROUP BY r.ancestor_id")
	_, err = store.Collect(ctx, q, func(row store.Scanner) (struct{}, error) {
		var (
			id            int64
			below, height int
		)
		err := row.Scan(&id, &below, &height)
		t := trees[id]
		t.Size, t.Height = 1+below, height
		trees[id] = t
		return struct{}{}, err
	}, s.Text(), s.Args()...)
	return trees, err
}

// CountSubtrees counts the agents in several agents' subtrees on a day, each agent once.
func CountSubtrees(ctx context.Context, q store.Querier, teamID int64, on date.Date, agentIDs []int64) (n int, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	var s store.SQL
	from := onDay(teamID, on).walk(&s, tenantID, false, among(q, &s, page.Owners{IDs: agentIDs}), Range{})
	s.Write("SELECT count(*) FROM (SELECT r.descendant_id"+from+" UNION SELECT a.id FROM agency_agent a WHERE a.tenant_id = ? AND "+q.In("a.id", s.Arg(q.List(agentIDs)))+") s", tenantID)
	_, err = store.One(ctx, q, []any{&n}, s.Text(), s.Args()...)
	return n, err
}

// Below returns who is below agents on the day of the view, by id, down to a depth. It
// walks the periods, in one statement for all agents.
func (v View) Below(ctx context.Context, q store.Querier, agentIDs []int64, depth int) (map[int64][]int64, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	from := v.walk(&s, tenantID, false, among(q, &s, page.Owners{IDs: agentIDs}), Range{Max: &depth})
	s.Write("SELECT r.ancestor_id, r.descendant_id" + from + " ORDER BY r.ancestor_id, r.descendant_id")
	return collectByRoot(ctx, q, func(row store.Scanner) (id int64, err error) { return id, row.Scan(&id) }, &s)
}
