package admission

import (
	"slices"
	"time"
)

// line has those who run and those who wait, by owner. Its user locks it.
type line struct {
	running, queued int
	held            map[string]int
	waiting         map[string][]*waiter
	// turns counts how many have begun to run; last is the latest turn of each owner that
	// is still known.
	turns int
	last  map[string]int
}

type waiter struct {
	owner string
	since time.Time
	// decided receives the decision, once.
	decided chan *Refusal
	// use is the connection of the database that it waits for; nil at the gate.
	use *Use
	// by is who asks, connection the one that it came by; only at the gate.
	by         caller
	connection string
}

func newLine() line {
	return line{held: map[string]int{}, waiting: map[string][]*waiter{}, last: map[string]int{}}
}

func (l *line) run(owner string) {
	l.running++
	l.held[owner]++
	l.turns++
	l.last[owner] = l.turns
}

func (l *line) end(owner string) {
	l.running--
	if l.held[owner]--; l.held[owner] == 0 {
		delete(l.held, owner)
		l.forget(owner)
	}
}

// forget removes an owner who neither runs nor waits.
func (l *line) forget(owner string) {
	if l.held[owner] == 0 && len(l.waiting[owner]) == 0 {
		delete(l.last, owner)
	}
}

// add puts a waiter at the end of its owner's queue.
func (l *line) add(owner string, now time.Time) *waiter {
	w := &waiter{owner: owner, since: now, decided: make(chan *Refusal, 1)}
	l.append(w)
	return w
}

func (l *line) append(w *waiter) {
	l.waiting[w.owner] = append(l.waiting[w.owner], w)
	l.queued++
}

// remove takes a waiter out of its queue and returns how many of its owner still wait.
func (l *line) remove(w *waiter) int {
	queue := l.waiting[w.owner]
	at := slices.Index(queue, w)
	if queue = slices.Delete(queue, at, at+1); len(queue) == 0 {
		delete(l.waiting, w.owner)
		l.forget(w.owner)
	} else {
		l.waiting[w.owner] = queue
	}
	l.queued--
	return len(queue)
}

// giveUp takes out a waiter that stops waiting. It returns what was decided about it
// before, if anything was.
func (l *line) giveUp(w *waiter) (refused *Refusal, decided bool) {
	select {
	case refused = <-w.decided:
		return refused, true
	default:
		l.remove(w)
		return nil, false
	}
}

// next returns the queue to serve next: that of the owner with the fewest running, if
// these are fewer than each; of several, the owner whose turn was longest ago; of several
// that had no turn, the one whose first waiter has waited longest. Nil for none.
func (l *line) next(each int) (best []*waiter) {
	for owner, queue := range l.waiting {
		if l.held[owner] < each && (best == nil || l.isBefore(queue[0], best[0])) {
			best = queue
		}
	}
	return best
}

func (l *line) isBefore(a, b *waiter) bool {
	switch {
	case l.held[a.owner] != l.held[b.owner]:
		return l.held[a.owner] < l.held[b.owner]
	case l.last[a.owner] != l.last[b.owner]:
		return l.last[a.owner] < l.last[b.owner]
	}
	return a.since.Before(b.since)
}
