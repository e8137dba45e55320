package admission

import (
	"maps"
	"time"
)

// crowd is a queue that is hopeless, or was a moment ago.
type crowd struct {
	// until is when it is looked at again.
	until time.Time
	// refused is how many were turned away since it was looked at.
	refused int
}

const (
	// few wait for fewWait times as long as others before they are too many: these are
	// the connections of one client, each of which asks again only when it was answered.
	few     = 64
	fewWait = 10
)

// isHopeless reports whether the last of so many that wait would do so for longer
// than anybody may.
func (g *Gate) isHopeless(waiting int) bool {
	return g.takes*time.Duration(waiting) > g.longest(waiting)*time.Duration(g.most())
}

// longest is for how long one may wait in a queue of so many.
func (g *Gate) longest(waiting int) time.Duration {
	if waiting <= few {
		return fewWait * g.limits.Wait
	}
	return g.limits.Wait
}

// grown looks whether a tenant's queue has become hopeless. It forgets those that
// are over: of who does not come back nobody would. It looks for them so seldom that
// many of who come once, as from the networks of a flood, cost next to nothing.
func (g *Gate) grown(owner string, now time.Time) {
	if g.crowded[owner] != nil || !g.isHopeless(len(g.waiting[owner])) {
		return
	}
	if now.Sub(g.swept) >= g.limits.Wait {
		maps.DeleteFunc(g.crowded, func(_ string, c *crowd) bool { return g.isOver(c, now) })
		g.swept = now
	}
	g.crowded[owner] = &crowd{until: now.Add(g.limits.Wait)}
}

// refused notes that one was turned away.
func (g *Gate) refused(owner string) {
	if c := g.crowded[owner]; c != nil {
		c.refused++
	}
}

// isCrowd reports whether a tenant's queue is hopeless. It stays so as long as those
// that were turned away would make it so, had they waited.
func (g *Gate) isCrowd(owner string, now time.Time) bool {
	c := g.crowded[owner]
	switch {
	case c == nil:
		return false
	case now.Before(c.until):
		return true
	case g.isOver(c, now) || !g.isHopeless(c.refused+len(g.waiting[owner])):
		delete(g.crowded, owner)
		return false
	}
	c.until, c.refused = now.Add(g.limits.Wait), 0
	return true
}

// isOver reports whether nobody came for so long that a crowd says nothing any more.
func (g *Gate) isOver(c *crowd, now time.Time) bool { return now.Sub(c.until) >= g.limits.Wait }
