package admission

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/clock"
)

// Gate bounds the operations that run at once.
//
// Whoever finds no place waits in the queue of the tenant. A burst may wait for as
// long as Limits.Wait, and the first is served first. When the queue has been longer
// than what its places do in two turns for that long, or has grown so long that its
// last would wait for longer, there is no burst but more work than can be done:
// everybody would wait to no purpose. From then on, until the queue has been short for
// as long, the last is served first, and nobody waits for longer than
// operations take ("Fail at scale", ACM Queue 2015: CoDel and adaptive LIFO, here
// with a target that follows the work). So what runs has hardly waited, and a
// client that asks again at once is slowed down.
//
// A place that is freed goes to the tenant that has the fewest; when as many wait
// as may, the last of the longest queue gives way.
type Gate struct {
	limits Limits
	clock  clock.Clock
	waited func(time.Duration)

	mu      sync.Mutex
	places  *places
	running int
	held    map[string]int
	waiting map[string][]*waiter
	queued  int
	crowded map[string]crowd
	// swept is when crowded was rid of what is over.
	swept time.Time
	// takes is how long operations run, as a moving average.
	takes time.Duration
}

// leastPatience is for operations that take next to no time.
const leastPatience = 5 * time.Millisecond

type waiter struct {
	owner string
	since time.Time
	// decided gets what became of it, once.
	decided chan *Refusal
}

// NewGate returns a gate. waited, when it is not nil, is told for how long each
// operation waited that runs.
func NewGate(l Limits, c clock.Clock, waited func(time.Duration)) *Gate {
	if waited == nil {
		waited = func(time.Duration) {}
	}
	return &Gate{limits: l, clock: c, waited: waited, places: newPlaces(l.Concurrency), held: map[string]int{}, waiting: map[string][]*waiter{}, crowded: map[string]crowd{}}
}

// Enter returns when an operation of a tenant may run, or a *Refusal, or the
// error of ctx. Call leave when it ended.
func (g *Gate) Enter(ctx context.Context, owner string) (leave func(), err error) {
	w, patience, refused := g.arrive(owner)
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
		refused = g.giveUp(w)
	case <-ctx.Done():
		if g.giveUp(w) == nil {
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

// leaving returns what ends an operation that begins now.
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

// arrive takes a place, for which it returns no waiter, or waits. Nobody in the
// queue is overtaken: who waits there could not have the place.
func (g *Gate) arrive(owner string) (w *waiter, patience time.Duration, refused *Refusal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	g.places.adjust(now)
	if g.running < g.places.now && g.held[owner] < g.most() {
		g.run(owner)
		return nil, 0, nil
	}
	if g.queued >= g.limits.Queue && !g.makeRoom(owner) {
		return nil, 0, &Refusal{Reason: QueueFull}
	}
	w = &waiter{owner: owner, since: now, decided: make(chan *Refusal, 1)}
	g.waiting[owner] = append(g.waiting[owner], w)
	g.queued++
	g.grown(owner, now)
	return w, g.patience(owner, now), nil
}

// makeRoom turns away the last of the longest queue, unless that is the owner's.
func (g *Gate) makeRoom(owner string) bool {
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
	last.decided <- &Refusal{Reason: QueueFull}
	return true
}

func (g *Gate) run(owner string) {
	g.running++
	g.held[owner]++
}

func (g *Gate) leave(owner string, began time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	g.takes += (now.Sub(began) - g.takes) / 16
	g.places.adjust(now)
	g.running--
	if g.held[owner]--; g.held[owner] == 0 {
		delete(g.held, owner)
	}
	for g.running < g.places.now {
		w := g.next(now)
		if w == nil {
			return
		}
		patience := g.patience(w.owner, now)
		g.remove(w)
		if now.Sub(w.since) > patience {
			w.decided <- &Refusal{Reason: Waited}
			continue
		}
		g.run(w.owner)
		w.decided <- nil
	}
}

// next returns who runs next of the tenant that has the fewest places; of several,
// of the one whose first waits longest.
func (g *Gate) next(now time.Time) *waiter {
	var best []*waiter
	for owner, queue := range g.waiting {
		held := g.held[owner]
		switch {
		case held >= g.most():
		case best == nil, held < g.held[best[0].owner], held == g.held[best[0].owner] && queue[0].since.Before(best[0].since):
			best = queue
		}
	}
	switch {
	case best == nil:
		return nil
	case g.stands(best[0].owner, now):
		return best[len(best)-1]
	}
	return best[0]
}

// most is how many places one tenant may have now.
func (g *Gate) most() int {
	if g.places.now == g.limits.Concurrency {
		return g.limits.TenantConcurrency
	}
	return min(g.limits.TenantConcurrency, share(g.places.now))
}

func (g *Gate) patience(owner string, now time.Time) time.Duration {
	if g.stands(owner, now) {
		return min(g.limits.Wait, max(leastPatience, g.takes))
	}
	return g.limits.Wait
}

// giveUp returns what became of a waiter that stops waiting; nil when it may run
// after all.
func (g *Gate) giveUp(w *waiter) *Refusal {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case decided := <-w.decided:
		return decided
	default:
		g.remove(w)
		return &Refusal{Reason: Waited}
	}
}

func (g *Gate) remove(w *waiter) {
	queue := g.waiting[w.owner]
	at := slices.Index(queue, w)
	if queue = slices.Delete(queue, at, at+1); len(queue) == 0 {
		delete(g.waiting, w.owner)
	} else {
		g.waiting[w.owner] = queue
	}
	if len(queue) <= g.most() {
		g.shrunk(w.owner, g.clock.Now())
	}
	g.queued--
}
