package admission

import (
	"maps"
	"time"
)

// surge describes a queue that is hopeless, or was so a moment ago.
type surge struct {
	// until is when to look at it again.
	until time.Time
	// refused are the connections whose operations were turned away, with the last time.
	refused map[string]time.Time
	// grows reports whether a connection was added to them since the last look.
	grows bool
}

const (
	// lookAgain is the time between two looks at a surge.
	lookAgain = 30 * time.Millisecond
	// mostRefused bounds the connections that are remembered of a surge.
	mostRefused = 10_000
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
	g.surges[owner] = &surge{until: now.Add(lookAgain), refused: map[string]time.Time{}, grows: true}
}

// refused notes a connection whose operation was turned away.
func (g *Gate) refused(owner, connection string, now time.Time) {
	c := g.surges[owner]
	if c == nil {
		return
	}
	if _, known := c.refused[connection]; !known {
		c.grows = true
		if len(c.refused) == mostRefused {
			return
		}
	}
	c.refused[connection] = now
}

// isSurge reports whether a tenant's queue is hopeless. It stays so as long as the
// connections that were turned away would make it so, had they waited. It is over at once
// if nobody new comes, and those who still ask would not make it so.
func (g *Gate) isSurge(owner string, now time.Time) bool {
	c := g.surges[owner]
	switch {
	case c == nil:
		return false
	case now.Before(c.until):
		return true
	case g.isOver(c, now) || !g.isHopeless(g.wouldWait(c, owner, now.Add(-g.limits.Wait))) || !c.grows && !g.isHopeless(g.wouldWait(c, owner, now.Add(-lookAgain))):
		delete(g.surges, owner)
		return false
	}
	maps.DeleteFunc(c.refused, func(_ string, last time.Time) bool { return now.Sub(last) > g.limits.Wait })
	c.until, c.grows = now.Add(lookAgain), false
	return true
}

// wouldWait returns how many connections wait or were turned away since a time.
func (g *Gate) wouldWait(c *surge, owner string, since time.Time) int {
	n := len(g.waiting[owner])
	for _, last := range c.refused {
		if !last.Before(since) {
			n++
		}
	}
	for _, w := range g.waiting[owner] {
		if last, counted := c.refused[w.connection]; counted && !last.Before(since) {
			n--
		}
	}
	return n
}

// isOver reports whether nobody has come for so long that the surge means nothing any
// more.
func (g *Gate) isOver(c *surge, now time.Time) bool { return now.Sub(c.until) >= g.limits.Wait }
