package hierarchy

// node is a row of hierarchy_node: an agent as it was flattened.
type node struct {
	upline                  int64 // 0 for a root
	depth, direct, downline int
}

// place is an agent's upline by the periods of a day.
type place struct {
	held   bool  // a period covers the day
	upline int64 // 0 without one
}

// relation is a row of hierarchy_closure.
type relation struct {
	ancestor, descendant int64
	level                int
}

// change is the difference between the flattened rows and those for a day.
type change struct {
	removed []int64 // the rows that are removed, each as descendant * levels + level
	added   []relation
	nodes   map[int64]node // new or different
	gone    []int64        // agents that are no longer in the hierarchy
}

// levels is more than the greatest level: a row of hierarchy_closure is known by one
// number, its descendant times levels plus its level.
const levels = 100

// agents returns by how many the number of agents in the hierarchy grows.
func (c *change) agents(built map[int64]node) int {
	n := -len(c.gone)
	for id := range c.nodes {
		if _, ok := built[id]; !ok {
			n++
		}
	}
	return n
}

// forest compares the flattened hierarchy with the places of agents. Both may be parts of
// the whole; then built has every node below and above the agents of places, and above
// their new uplines.
type forest struct {
	built  map[int64]node
	places map[int64]place
	// held says whether a period covers the day, for agents that are not in places.
	held map[int64]bool
	// reports is the change of the number of direct reports, by agent.
	reports map[int64]int
	dirty   map[int64]bool
}

// diff computes the change.
func diff(built map[int64]node, places map[int64]place, held map[int64]bool) *change {
	f := &forest{built: built, places: places, held: held, reports: map[int64]int{}, dirty: make(map[int64]bool, len(places))}
	for id, p := range places {
		if was := built[id].upline; was != p.upline {
			f.dirty[id] = true
			f.reports[was]--
			f.reports[p.upline]++
		}
	}
	delete(f.reports, 0)

	c := &change{nodes: make(map[int64]node, len(places))}
	downline := map[int64]int{}
	for id := range built {
		f.rechain(id, c, downline)
	}
	for id := range places {
		if _, ok := built[id]; !ok {
			f.rechain(id, c, downline)
		}
	}
	f.renew(c, downline)
	return c
}

// rechain compares the uplines of an agent, level by level, if its own upline or one
// above it has changed.
func (f *forest) rechain(id int64, c *change, downline map[int64]int) {
	if !f.isDirty(id) {
		return
	}
	var before, after [maxLevel]int64
	old := chain(before[:0], id, f.builtUpline)
	now := chain(after[:0], id, f.upline)
	for i := range max(len(old), len(now)) {
		if i < len(old) && i < len(now) && old[i] == now[i] {
			continue
		}
		if i < len(old) {
			c.removed = append(c.removed, id*levels+int64(i+1))
			downline[old[i]]--
		}
		if i < len(now) {
			c.added = append(c.added, relation{now[i], id, i + 1})
			downline[now[i]]++
		}
	}
}

// renew computes the nodes of everyone whom the change affects.
func (f *forest) renew(c *change, downline map[int64]int) {
	seen := make(map[int64]bool, len(f.dirty))
	visit := func(id int64) {
		if seen[id] {
			return
		}
		seen[id] = true
		was, existed := f.built[id]
		now := node{upline: f.upline(id), depth: was.depth, direct: was.direct + f.reports[id], downline: was.downline + downline[id]}
		if f.dirty[id] {
			var space [maxLevel]int64
			now.depth = len(chain(space[:0], id, f.upline))
		}
		switch {
		case !f.isPresent(id, now):
			if existed {
				c.gone = append(c.gone, id)
			}
		case !existed || now != was:
			c.nodes[id] = now
		}
	}
	for id := range f.places {
		visit(id)
	}
	for id := range f.reports {
		visit(id)
	}
	for id := range downline {
		visit(id)
	}
	for id, dirty := range f.dirty {
		if dirty {
			visit(id)
		}
	}
}

// isPresent reports whether an agent is in the hierarchy: it has a period, or others
// report to it.
func (f *forest) isPresent(id int64, n node) bool {
	if p, ok := f.places[id]; ok {
		return p.held || n.direct > 0
	}
	return n.upline != 0 || n.direct > 0 || f.held[id]
}

// upline returns whom an agent reports to on the day, 0 for nobody.
func (f *forest) upline(id int64) int64 {
	if p, ok := f.places[id]; ok {
		return p.upline
	}
	return f.built[id].upline
}

func (f *forest) builtUpline(id int64) int64 { return f.built[id].upline }

// isDirty reports whether the uplines of an agent have changed: its own upline, or that
// of one above it.
func (f *forest) isDirty(id int64) bool {
	if dirty, known := f.dirty[id]; known {
		return dirty
	}
	f.dirty[id] = false // ends the walk even if the rows form a circle
	above := f.built[id].upline
	dirty := above != 0 && f.isDirty(above)
	f.dirty[id] = dirty
	return dirty
}

// chain appends the uplines of an agent, nearest first, at most maxLevel of them.
func chain(to []int64, id int64, upline func(int64) int64) []int64 {
	for id = upline(id); id != 0 && len(to) < maxLevel; id = upline(id) {
		to = append(to, id)
	}
	return to
}
