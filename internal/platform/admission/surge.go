package admission

import (
	"maps"
	"time"
)

// surge describes a queue that is hopeless, or was so a moment ago.
type surge struct {
	// until is when to look at it again.
	until time.Time
	// refused is how many were turned away since it was last looked at.
	refused int
}

const (
	// few is the length up to which a queue is no surge: about the connections of one
	// client, each of which asks again only after its answer. They may wait fewWait times
	// as long as others.
	few     = 64
	fewWait = 10
)

// isHopeless reports whether the last of that many waiters would wait longer than
// allowed.
func (g *Gate) isHopeless(waiting int) bool {
	return g.takes*time.Duration(waiting) > g.longest(waiting)*time.Duration(g.most())
}

// longest is how long an operation may wait in a queue of that length.
func (g *Gate) longest(waiting int) time.Duration {
	if waiting <= few {
		return fewWait * g.limits.Wait
	}
	return g.limits.Wait
}

// grown checks whether a tenant's queue has become hopeless. It also forgets surges that
// are over, since a tenant that does not come back would never remove its own. It does so
// rarely, so that many tenants that come once, as in a flood from many networks, cost
// next to nothing.
func (g *Gate) grown(owner string, now time.Time) {
	if g.surges[owner] != nil || !g.isHopeless(len(g.waiting[owner])) {
		return
	}
	if now.Sub(g.swept) >= g.limits.Wait {
		maps.DeleteFunc(g.surges, func(_ string, c *surge) bool { return g.isOver(c, now) })
		g.swept = now
	}
	g.surges[owner] = &surge{until: now.Add(g.limits.Wait)}
}

// refused counts an operation that was turned away.
func (g *Gate) refused(owner string) {
	if c := g.surges[owner]; c != nil {
		c.refused++
	}
}

// isSurge reports whether a tenant's queue is hopeless. It stays so as long as the
// operations that were turned away would make it so, had they waited.
func (g *Gate) isSurge(owner string, now time.Time) bool {
	c := g.surges[owner]
	switch {
	case c == nil:
		return false
	case now.Before(c.until):
		return true
	case g.isOver(c, now) || !g.isHopeless(c.refused+len(g.waiting[owner])):
		delete(g.surges, owner)
		return false
	}
	c.until, c.refused = now.Add(g.limits.Wait), 0
	return true
}

// isOver reports whether nobody has come for so long that the surge means nothing any
// more.
func (g *Gate) isOver(c *surge, now time.Time) bool { return now.Sub(c.until) >= g.limits.Wait }
