package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// TreeNode is an agent in a tree.
type TreeNode struct {
	AgentID int64
	// ParentID is the upline inside the tree, nil for the root.
	ParentID *int64
	// Depth is the distance from the root.
	Depth int
	// DirectCount and DownlineCount count all agents below, listed or not.
	DirectCount, DownlineCount int
	// HasMore is true when the agent has direct reports that are not listed.
	HasMore bool
}

// Tree is an agent and the agents below it: the root first, parents before children.
type Tree struct {
	Nodes []TreeNode
	// Truncated reports whether the limit of nodes cut the list.
	Truncated bool
}

// Trees returns the tree of each of several agents down to a depth, with a limit of
// nodes. A root is there even if it has no place in the team.
func (v View) Trees(ctx context.Context, q store.Querier, roots []int64, depth, maxNodes int) (map[int64]Tree, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	read := v.treesOfDay
	if v.Flattened() {
		read = v.treesFromNodes
	}
	found, err := read(ctx, q, tenantID, roots, min(depth, maxLevel), maxNodes)
	if err != nil {
		return nil, err
	}
	trees := make(map[int64]Tree, len(roots))
	for _, root := range roots {
		t := Tree{Nodes: found[root]}
		if t.Truncated = len(t.Nodes) > maxNodes; t.Truncated {
			t.Nodes = t.Nodes[:maxNodes]
		}
		markMore(t.Nodes)
		trees[root] = t
	}
	return trees, nil
}

// markMore finds the agents whose direct reports are not all listed.
func markMore(nodes []TreeNode) {
	listed := make(map[int64]int, len(nodes))
	for _, n := range nodes {
		if n.ParentID != nil {
			listed[*n.ParentID]++
		}
	}
	for i := range nodes {
		nodes[i].HasMore = nodes[i].DirectCount > listed[nodes[i].AgentID]
	}
}

// treesFromNodes reads one node more than the limit, to see whether there are more.
func (v View) treesFromNodes(ctx context.Context, q store.Querier, tenantID int64, roots []int64, depth, limit int) (map[int64][]TreeNode, error) {
	trees, err := v.treeRoots(ctx, q, tenantID, roots)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	below := v.below(&s, tenantID, among(q, &s, page.Owners{IDs: roots}), Range{Max: &depth})
	nearest := window{orderBy: "r.level, r.descendant_id", limit: limit}.ofEach(len(roots), below)
	s.Write("SELECT r.ancestor_id, n.agent_id, n.upline_agent_id, r.level, n.direct_count, n.downline_count FROM (" + nearest + ") r JOIN hierarchy_node n" +
		" ON n.tenant_id = " + s.Arg(tenantID) + " AND n.team_id = " + s.Arg(v.TeamID) + " AND n.agent_id = r.descendant_id ORDER BY r.level, r.descendant_id")
	found, err := collectByRoot(ctx, q, func(row store.Scanner) (n TreeNode, err error) {
		err = row.Scan(&n.AgentID, &n.ParentID, &n.Depth, &n.DirectCount, &n.DownlineCount)
		return n, err
	}, &s)
	for root, below := range found {
		trees[root] = append(trees[root], below...)
	}
	return trees, err
}

// treeRoots begins a tree for each root.
func (v View) treeRoots(ctx context.Context, q store.Querier, tenantID int64, roots []int64) (map[int64][]TreeNode, error) {
	trees := make(map[int64][]TreeNode, len(roots))
	for _, id := range roots {
		trees[id] = []TreeNode{{AgentID: id}}
	}
	var s store.SQL
	s.Write("SELECT n.agent_id, n.direct_count, n.downline_count" + v.nodes(&s, tenantID) + " AND " + among(q, &s, page.Owners{IDs: roots})("n.agent_id"))
	_, err := store.Collect(ctx, q, func(row store.Scanner) (n TreeNode, err error) {
		err = row.Scan(&n.AgentID, &n.DirectCount, &n.DownlineCount)
		trees[n.AgentID] = []TreeNode{n}
		return n, err
	}, s.Text(), s.Args()...)
	return trees, err
}

// treesOfDay reads trees from the kept periods, or from those that a walk finds: all the
// way down, since it counts everyone below.
func (v View) treesOfDay(ctx context.Context, q store.Querier, tenantID int64, roots []int64, depth, limit int) (map[int64][]TreeNode, error) {
	h, err := v.periodsIfKept(ctx, q, tenantID)
	if err == nil && h == nil {
		h, err = v.walkedBelow(ctx, q, tenantID, roots)
	}
	if err != nil {
		return nil, err
	}
	trees := make(map[int64][]TreeNode, len(roots))
	for _, id := range roots {
		trees[id] = h.tree(id, v.Day, depth, limit)
	}
	return trees, nil
}

// walkedBelow returns a history with the day of the view, of those below the roots.
func (v View) walkedBelow(ctx context.Context, q store.Querier, tenantID int64, roots []int64) (*teamHistory, error) {
	var s store.SQL
	from := v.walk(&s, tenantID, false, among(q, &s, page.Owners{IDs: roots}), Range{})
	s.Write("SELECT DISTINCT r.descendant_id, r.upline_id" + from)
	periods, err := store.Collect(ctx, q, func(row store.Scanner) (period, error) {
		p := period{from: v.Day, through: v.Day}
		return p, row.Scan(&p.agent, &p.upline)
	}, s.Text(), s.Args()...)
	return (&teamHistory{}).with(0, nil, periods), err
}
