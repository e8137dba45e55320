package hierarchy

import (
	"cmp"
	"slices"

	"github.com/uplinehq/upline/internal/date"
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

// below returns who is below a root on a day, by the distance from it: the first are direct
// reports.
func (h *teamHistory) below(root int64, day date.Date, highest int) (levels [][]span) {
	at, found := h.index(root)
	if !found {
		return nil
	}
	all, begin, ends := []span{{agent: at}}, 0, []int{1}
	for level := 0; level < highest && begin < len(all); level++ {
		above := all[begin:]
		begin = len(all)
		for _, s := range above {
			for _, under := range h.spans[h.first[s.agent]:h.first[s.agent+1]] {
				if under.covers(day) {
					all = append(all, under)
				}
			}
		}
		ends = append(ends, len(all))
	}
	for i, end := range ends[1:] {
		levels = append(levels, all[ends[i]:end])
	}
	return levels
}

// tree returns the nodes below a root on a day, nearest first, and one more than the limit
// if there are more.
func (h *teamHistory) tree(root int64, day date.Date, depth, limit int) []TreeNode {
	levels := h.below(root, day, maxLevel)
	direct, downline := make([]int32, len(h.agents)), make([]int32, len(h.agents))
	for _, here := range slices.Backward(levels) {
		for _, s := range here {
			direct[s.upline]++
			downline[s.upline] += 1 + downline[s.agent]
		}
	}
	nodes := []TreeNode{{AgentID: root}}
	if at, found := h.index(root); found {
		nodes[0].DirectCount, nodes[0].DownlineCount = int(direct[at]), int(downline[at])
	}
	for i, here := range levels[:min(depth, len(levels))] {
		slices.SortFunc(here, func(a, b span) int { return cmp.Compare(a.agent, b.agent) })
		for _, s := range here[:max(0, min(len(here), limit+1-len(nodes)))] {
			upline := h.agents[s.upline]
			nodes = append(nodes, TreeNode{AgentID: h.agents[s.agent], ParentID: &upline, Depth: i + 1, DirectCount: int(direct[s.agent]), DownlineCount: int(downline[s.agent])})
		}
	}
	return nodes
}
