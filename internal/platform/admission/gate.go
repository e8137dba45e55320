package admission

import (
	"context"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/clock"
)

// Gate limits the operations that run at once.
//
// An operation that finds no slot waits in the queue of its tenant, for up to
// Limits.Wait, or ten times as long in a short queue. The first in a queue is served
// first. When a queue has grown so long that its last would wait for longer than that, it
// is hopeless: there is more work than can be done, and everybody would wait in vain.
// Then the last is served first, until fewer operations arrive than can be served, and
// nobody waits for longer than an operation takes ("Fail at scale", ACM Queue 2015: CoDel
// and adaptive LIFO; here the target depends on the work). So operations that run have
// hardly waited, and a client that asks again at once is slowed down.
//
// A slot that becomes free goes to the tenant that has the fewest. If the queues are
// full, the last of the longest one is turned away. An operation that reaches a slow
// statement gives its slot back (Connections), so it takes nothing from quick ones.
type Gate struct {
	limits Limits
	clock  clock.Clock
	waited func(time.Duration)

	mu sync.Mutex
	line
	slots  *slots
	surges map[string]*surge
	// swept is when surges that are over were last removed.
	swept time.Time
	// takes is how long operations usually hold a slot, as a moving average.
	takes time.Duration
}

// leastPatience is the least wait, for operations that take next to no time.
const leastPatience = 5 * time.Millisecond

// NewGate returns a gate. If waited is not nil, it is called with the time that each
// operation waited before it ran.
func NewGate(l Limits, c clock.Clock, waited func(time.Duration)) *Gate {
	if waited == nil {
		waited = func(time.Duration) {}
	}
	return &Gate{limits: l, clock: c, waited: waited, line: newLine(), slots: newSlots(l.Concurrency), surges: map[string]*surge{}}
}

// Enter returns when an operation of a tenant may run; otherwise it returns a *Refusal,
// or the error of ctx. connection names the client's connection, by which it may ask again
// at once without counting twice. Call leave when the operation has ended.
func (g *Gate) Enter(ctx context.Context, owner, connection string) (leave func(), err error) {
	w, patience, refused := g.arrive(owner, connection)
	switch {
	case refused != nil:
		return nil, refused
	case w == nil:
		g.waited(0)
		return g.leaving(owner), nil
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case refused = <-w.decided:
	case <-timer.C:
		refused = g.turnAway(w)
	case <-ctx.Done():
		if g.turnAway(w) == nil {
			g.leaving(owner)()
		}
		return nil, ctx.Err()
	}
	if refused != nil {
		return nil, refused
	}
	g.waited(g.clock.Now().Sub(w.since))
	return g.leaving(owner), nil
}

// leaving returns the function that ends an operation which begins now.
func (g *Gate) leaving(owner string) func() {
	began := g.clock.Now()
	return sync.OnceFunc(func() { g.leave(owner, began) })
}

// State returns how many operations run and wait.
func (g *Gate) State() (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running, g.queued
}

// arrive takes a slot and returns no waiter, or it waits. It overtakes nobody in the
// queue, since nobody there could have the slot.
func (g *Gate) arrive(owner, connection string) (w *waiter, patience time.Duration, refused *Refusal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	g.slots.adjust(now)
	if g.running < g.slots.now && g.held[owner] < g.most() {
		g.run(owner)
		return nil, 0, nil
	}
	if g.queued >= g.limits.Queue && !g.makeRoom(owner, now) {
		g.refused(owner, connection, now)
		return nil, 0, &Refusal{Reason: QueueFull}
	}
	w = g.add(owner, now)
	w.connection = connection
	g.grown(owner, now)
	return w, g.patience(owner, now), nil
}

// makeRoom turns away the last of the longest queue, unless that is the owner's own.
func (g *Gate) makeRoom(owner string, now time.Time) bool {
	longest := owner
	for other, queue := range g.waiting {
		if len(queue) > len(g.waiting[longest]) {
			longest = other
		}
	}
	queue := g.waiting[longest]
	if longest == owner || len(queue) <= len(g.waiting[owner])+1 {
		return false
	}
	last := queue[len(queue)-1]
	g.remove(last)
	g.refused(longest, last.connection, now)
	last.decided <- &Refusal{Reason: QueueFull}
	return true
}

func (g *Gate) leave(owner string, began time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	g.takes += (now.Sub(began) - g.takes) / 16
	g.slots.adjust(now)
	g.end(owner)
	for g.running < g.slots.now {
		w := g.nextWaiter(now)
		if w == nil {
			return
		}
		patience := g.patience(w.owner, now)
		g.remove(w)
		if now.Sub(w.since) > patience {
			g.refused(w.owner, w.connection, now)
			w.decided <- &Refusal{Reason: Waited}
			continue
		}
		g.run(w.owner)
		w.decided <- nil
	}
}

// nextWaiter returns the waiter that runs next: the first of a queue, but the last of a
// hopeless one.
func (g *Gate) nextWaiter(now time.Time) *waiter {
	queue := g.next(g.most())
	switch {
	case queue == nil:
		return nil
	case g.isSurge(queue[0].owner, now):
		return queue[len(queue)-1]
	}
	return queue[0]
}

// most is how many slots one tenant may have now.
func (g *Gate) most() int {
	if g.slots.now == g.limits.Concurrency {
		return g.limits.TenantConcurrency
	}
	return min(g.limits.TenantConcurrency, share(g.slots.now))
}

func (g *Gate) patience(owner string, now time.Time) time.Duration {
	if g.isSurge(owner, now) {
		return min(g.limits.Wait, max(leastPatience, g.takes))
	}
	return g.longest(len(g.waiting[owner]))
}

// turnAway returns the refusal of a waiter that stops waiting; nil if it may run after
// all.
func (g *Gate) turnAway(w *waiter) *Refusal {
	g.mu.Lock()
	defer g.mu.Unlock()
	if refused, decided := g.giveUp(w); decided {
		return refused
	}
	g.refused(w.owner, w.connection, g.clock.Now())
	return &Refusal{Reason: Waited}
}
