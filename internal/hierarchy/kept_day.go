package hierarchy

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// whole has everybody of a team on a day. Agents are indexes into those of the history.
type whole struct {
	agents []int64
	// upline is none for a root, and absent for an agent without a place on the day.
	upline []int32
	roots  []int32
	// reports lists the agents by upline, those of each upline in the order of their ids:
	// direct of them, from first on.
	reports, first, direct, downline []int32
	size                             int
}

// on computes the day. It returns nil for a hierarchy with a circle, or deeper than
// maxLevel; only a walk, which is bounded, can read that.
func (h *teamHistory) on(day date.Date) *whole {
	n := len(h.agents)
	w := &whole{agents: h.agents, first: make([]int32, n), downline: make([]int32, n)}
	w.upline, w.direct = h.uplines(day)
	var next int32
	for i, direct := range w.direct {
		w.first[i] = next
		next += direct
	}
	w.reports = make([]int32, next)
	filled := slices.Clone(w.first)
	for i, upline := range w.upline {
		switch {
		case upline >= 0:
			w.reports[filled[upline]] = int32(i)
			filled[upline]++
		case upline == none:
			w.roots = append(w.roots, int32(i))
		}
	}
	if w.size = len(w.roots) + len(w.reports); !w.count() {
		return nil
	}
	return w
}

// uplines returns the upline of each agent on a day, and how many report to it.
func (h *teamHistory) uplines(day date.Date) (upline, direct []int32) {
	upline, direct = slices.Repeat([]int32{absent}, len(h.agents)), make([]int32, len(h.agents))
	for _, s := range h.spans {
		if s.from <= day && day <= s.through {
			upline[s.agent] = s.upline
		}
	}
	for _, above := range upline {
		if above >= 0 {
			direct[above]++
		}
	}
	for i := range upline {
		if upline[i] == absent && direct[i] > 0 {
			upline[i] = none // without a period, but others report to it
		}
	}
	return upline, direct
}

// count counts the agents below each agent; it returns false if not everybody is reached
// from the roots within the longest distance.
func (w *whole) count() bool {
	order := append(make([]int32, 0, w.size), w.roots...)
	for begin, level := 0, 0; begin < len(order); level++ {
		if level > maxLevel {
			return false
		}
		end := len(order)
		for _, agent := range order[begin:end] {
			order = append(order, w.reportsOf(agent)...)
		}
		begin = end
	}
	for _, agent := range slices.Backward(order) {
		if upline := w.upline[agent]; upline >= 0 {
			w.downline[upline] += 1 + w.downline[agent]
		}
	}
	return len(order) == w.size
}

func (w *whole) reportsOf(agent int32) []int32 {
	return w.reports[w.first[agent]:][:w.direct[agent]]
}

// rootIDs returns the ids of the agents without an upline.
func (w *whole) rootIDs() []int64 {
	ids := make([]int64, len(w.roots))
	for i, agent := range w.roots {
		ids[i] = w.agents[agent]
	}
	return ids
}

// trees is treesFromNodes for a whole day.
func (w *whole) trees(_ context.Context, _ store.Querier, _ int64, roots []int64, depth, limit int) (map[int64][]TreeNode, error) {
	trees := make(map[int64][]TreeNode, len(roots))
	for _, id := range roots {
		trees[id] = w.tree(id, depth, limit)
	}
	return trees, nil
}

// tree returns the nodes below a root, nearest first, and one more than the limit if
// there are more.
func (w *whole) tree(root int64, depth, limit int) []TreeNode {
	at, found := slices.BinarySearch(w.agents, root)
	if !found {
		return []TreeNode{{AgentID: root}}
	}
	above := []int32{int32(at)}
	nodes := []TreeNode{w.node(above[0], 0)}
	for level := 1; level <= depth && len(above) > 0 && len(nodes) <= limit; level++ {
		var here []int32
		for _, agent := range above {
			here = append(here, w.reportsOf(agent)...)
		}
		slices.Sort(here)
		for _, agent := range here[:min(len(here), limit+1-len(nodes))] {
			nodes = append(nodes, w.node(agent, level))
		}
		above = here
	}
	return nodes
}

func (w *whole) node(agent int32, level int) TreeNode {
	n := TreeNode{AgentID: w.agents[agent], Depth: level, DirectCount: int(w.direct[agent]), DownlineCount: int(w.downline[agent])}
	if level > 0 {
		upline := w.agents[w.upline[agent]]
		n.ParentID = &upline
	}
	return n
}
