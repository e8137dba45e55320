package admission

import (
	"maps"
	"time"
)

// crowd is a queue that is, or was of late, too long.
type crowd struct {
	// since is when it became long; the zero time when it is known to be no burst.
	since time.Time
	// until is when it is forgotten, once it is short again.
	until time.Time
}

// grown notes how long a tenant's queue is now.
func (g *Gate) grown(owner string, now time.Time) {
	length, most := len(g.waiting[owner]), g.most()
	c, known := g.crowded[owner]
	switch {
	case g.takes*time.Duration(length) > g.limits.Wait*time.Duration(most):
		g.crowd(owner, crowd{}, now)
	case length <= 2*most && known && g.over(c, now):
		delete(g.crowded, owner)
	case length <= 2*most:
	case !known || g.over(c, now):
		g.crowd(owner, crowd{since: now}, now)
	default:
		g.crowded[owner] = crowd{since: c.since}
	}
}

// crowd notes that a tenant's queue is long, and forgets those that are over: of who
// does not come back nobody would. It looks for them so seldom that many of who come
// once, as from the networks of a flood, cost next to nothing.
func (g *Gate) crowd(owner string, c crowd, now time.Time) {
	if now.Sub(g.swept) >= g.limits.Wait {
		maps.DeleteFunc(g.crowded, func(_ string, c crowd) bool { return g.over(c, now) })
		g.swept = now
	}
	g.crowded[owner] = c
}

// shrunk notes that a tenant's queue is short. A flood pauses at times: when its
// queue stood, that is remembered for a while.
func (g *Gate) shrunk(owner string, now time.Time) {
	c, known := g.crowded[owner]
	switch {
	case !known:
	case !g.stands(owner, now):
		delete(g.crowded, owner)
	case c.until.IsZero():
		c.until = now.Add(g.limits.Wait)
		g.crowded[owner] = c
	}
}

// stands reports whether a tenant's queue is no burst any more.
func (g *Gate) stands(owner string, now time.Time) bool {
	c, known := g.crowded[owner]
	return known && now.Sub(c.since) >= g.limits.Wait && !g.over(c, now)
}

func (g *Gate) over(c crowd, now time.Time) bool { return !c.until.IsZero() && !now.Before(c.until) }
