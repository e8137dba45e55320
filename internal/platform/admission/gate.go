package admission

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
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
// A slot that becomes free goes to the tenant that has the fewest, and there to the caller
// who has the fewest. If the queues are full, the last of the longest one is turned away. An operation that reaches a slow
// statement gives its slot back (Connections), so it takes nothing from quick ones.
type Gate struct {
	limits Limits
	clock  clock.Clock
	waited func(time.Duration)

	mu sync.Mutex
	line
	slots  *slots
	surges map[string]*surge
	// callers counts what runs by caller; needs are those who had to wait for long.
	callers map[caller]int
	needs   needs
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
	return &Gate{limits: l, clock: c, waited: waited, line: newLine(), slots: newSlots(l.Concurrency), surges: map[string]*surge{}, callers: map[caller]int{}}
}

// Enter returns when an operation of a tenant may run; otherwise it returns a *Refusal,
// or the error of ctx. name is the tenant's client that asks; connection names the client's
// connection, by which it may ask again at once without counting twice. Call leave when the
// operation has ended.
func (g *Gate) Enter(ctx context.Context, owner, name, connection string) (leave func(), err error) {
	by := caller{owner, name}
	w, patience, refused := g.arrive(by, connection)
	switch {
	case refused != nil:
		return nil, refused
	case w == nil:
		g.waited(0)
		return g.leaving(by), nil
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case refused = <-w.decided:
	case <-timer.C:
		refused = g.turnAway(w)
	case <-ctx.Done():
		if g.turnAway(w) == nil {
			g.leaving(by)()
		}
		return nil, ctx.Err()
	}
	if refused != nil {
		return nil, refused
	}
	g.waited(g.clock.Now().Sub(w.since))
	return g.leaving(by), nil
}

// leaving returns the function that ends an operation which begins now.
func (g *Gate) leaving(by caller) func() {
	p := &place{gate: g, by: by, began: g.clock.Now()}
	return p.leave
}

// place is what an operation has that runs.
type place struct {
	gate  *Gate
	by    caller
	began time.Time
	left  atomic.Bool
}

func (p *place) leave() {
	if !p.left.Swap(true) {
		p.gate.leave(p.by, p.began)
	}
}

// State returns how many operations run and wait.
func (g *Gate) State() (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running, g.queued
}

// arrive takes a slot and returns no waiter, or it waits. It overtakes nobody in the
// queue, since nobody there could have the slot.
func (g *Gate) arrive(by caller, connection string) (w *waiter, patience time.Duration, refused *Refusal) {
	owner := by.owner
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	g.slots.adjust(now)
	if g.hasRoom() && g.held[owner] < g.most() {
		g.begin(by)
		return nil, 0, nil
	}
	if g.queued >= g.limits.Queue && !g.makeRoom(owner, now) {
		g.refused(owner, connection, now)
		g.needs.note(by, now)
		return nil, 0, &Refusal{Reason: QueueFull}
	}
	w = g.add(owner, now)
	w.by, w.connection = by, connection
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
	g.needs.note(last.by, now)
	last.decided <- &Refusal{Reason: QueueFull}
	return true
}

// begin begins an operation.
func (g *Gate) begin(by caller) {
	g.run(by.owner)
	g.callers[by]++
}

func (g *Gate) leave(by caller, began time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	g.takes += (now.Sub(began) - g.takes) / 16
	g.slots.adjust(now)
	g.end(by.owner)
	if g.callers[by]--; g.callers[by] == 0 {
		delete(g.callers, by)
	}
	for g.hasRoom() {
		w := g.nextWaiter(now)
		if w == nil {
			return
		}
		patience := g.patience(w.owner, now)
		g.remove(w)
		if now.Sub(w.since) >= shortage {
			g.needs.note(w.by, now)
		}
		if now.Sub(w.since) > patience {
			g.refused(w.owner, w.connection, now)
			w.decided <- &Refusal{Reason: Waited}
			continue
		}
		g.begin(w.by)
		w.decided <- nil
	}
}

// nextWaiter returns the waiter that runs next: of a queue the first of the caller who has
// the fewest, of a hopeless one the last.
func (g *Gate) nextWaiter(now time.Time) *waiter {
	queue := g.next(g.most())
	switch {
	case queue == nil:
		return nil
	case g.isSurge(queue[0].owner, now):
		return queue[len(queue)-1]
	}
	return slices.MinFunc(queue[:min(few, len(queue))], func(a, b *waiter) int { return g.callers[a.by] - g.callers[b.by] })
}

// hasRoom reports whether a slot is free. What a tenant holds beyond its share, since there were
// more slots when it began, is missing to nobody else: it may be waiting for a lock.
func (g *Gate) hasRoom() bool {
	most, counted := g.most(), 0
	for _, held := range g.held {
		counted += min(held, most)
	}
	return counted < g.slots.now
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
	g.needs.note(w.by, g.clock.Now())
	return &Refusal{Reason: Waited}
}
