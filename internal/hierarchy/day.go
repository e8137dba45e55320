package hierarchy

import (
	"cmp"
	"iter"
	"slices"

	"github.com/uplinehq/upline/internal/words/date"
)

// uplines returns the upline of each agent on a day: none for a root, absent for an agent
// without a place.
func (h *teamHistory) uplines(day date.Date) []int32 {
	upline := slices.Repeat([]int32{absent}, len(h.agents))
	for _, s := range h.spans {
		if s.covers(day) {
			upline[s.agent] = s.upline
		}
	}
	for _, above := range upline {
		if above >= 0 && upline[above] == absent {
			upline[above] = none // without a period, but others report to it
		}
	}
	return upline
}

// roots returns the ids of the agents without an upline on a day.
func (h *teamHistory) roots(day date.Date) (ids []int64) {
	for i, upline := range h.uplines(day) {
		if upline == none {
			ids = append(ids, h.agents[i])
		}
	}
	return ids
}

// size counts the agents with a place on a day.
func (h *teamHistory) size(day date.Date) (n int) {
	for _, upline := range h.uplines(day) {
		if upline != absent {
			n++
		}
	}
	return n
}

// below yields who is below a root on a day, by the distance from it.
func (h *teamHistory) below(root int64, day date.Date, highest int) iter.Seq2[int, []span] {
	return func(yield func(int, []span) bool) {
		at, found := h.index(root)
		if !found {
			return
		}
		above := []span{{agent: at}}
		for level := 1; level <= highest; level++ {
			var here []span
			for _, s := range above {
				for _, under := range h.spans[h.first[s.agent]:h.first[s.agent+1]] {
					if under.covers(day) {
						here = append(here, under)
					}
				}
			}
			if len(here) == 0 || !yield(level, here) {
				return
			}
			above = here
		}
	}
}

// tree returns the nodes below a root on a day, nearest first, and one more than the limit
// if there are more.
func (h *teamHistory) tree(root int64, day date.Date, depth, limit int) []TreeNode {
	direct, downline := make([]int, len(h.agents)), make([]int, len(h.agents))
	nodes, all := []TreeNode{{AgentID: root}}, []span(nil)
	for level, here := range h.below(root, day, maxLevel) {
		all = append(all, here...)
		if level > depth || len(nodes) > limit {
			continue
		}
		slices.SortFunc(here, func(a, b span) int { return cmp.Compare(a.agent, b.agent) })
		for _, s := range here[:min(len(here), limit+1-len(nodes))] {
			upline := h.agents[s.upline]
			nodes = append(nodes, TreeNode{AgentID: h.agents[s.agent], ParentID: &upline, Depth: level})
		}
	}
	for _, s := range slices.Backward(all) {
		direct[s.upline]++
		downline[s.upline] += 1 + downline[s.agent]
	}
	for i := range nodes {
		if at, found := h.index(nodes[i].AgentID); found {
			nodes[i].DirectCount, nodes[i].DownlineCount = direct[at], downline[at]
		}
	}
	return nodes
}
