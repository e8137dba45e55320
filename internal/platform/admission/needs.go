package admission

import "time"

// caller is who asks: a client of a tenant.
type caller struct{ owner, name string }

const (
	// shortage is the wait from which on an operation counts as one that needed the machine
	// while others had it: longer than its turn among a few takes.
	shortage = 50 * time.Millisecond
	// neededFor is how long that is remembered.
	neededFor = time.Second
)

// needs are the two who had to wait for long last. Of any caller, one of them is another.
type needs [2]struct {
	caller
	at time.Time
}

func (n *needs) note(by caller, now time.Time) {
	if n[0].caller != by {
		n[1] = n[0]
	}
	n[0].caller, n[0].at = by, now
}

// OthersNeed reports whether another caller than a tenant's client, or another tenant, had
// to wait for long just now, or was turned away. Otherwise what the caller takes is free.
func (g *Gate) OthersNeed(owner, name string) (client, tenant bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	for _, n := range g.needs {
		if n.at.IsZero() || now.Sub(n.at) > neededFor {
			continue
		}
		client = client || n.caller != caller{owner, name}
		tenant = tenant || n.owner != owner
	}
	return client, tenant
}
