package admission

import "time"

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
		g.crowded[owner] = crowd{}
	case length <= 2*most && known && g.over(c, now):
		delete(g.crowded, owner)
	case length <= 2*most:
	case !known || g.over(c, now):
		g.crowded[owner] = crowd{since: now}
	default:
		g.crowded[owner] = crowd{since: c.since}
	}
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
