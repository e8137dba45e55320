package admission

import (
	"context"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/words/clock"
)

// Connections shares out the connections of a database, statement by statement: those
// of one operation that run in parallel each take one.
//
// Some are kept for look-ups (AsLookUp). The others go to three lanes. A statement that
// was quick for its tenant the last times may have any; of those that were slow only a
// few run at once; and a statement that nobody knows yet may have one of a half. In the
// last two one tenant does not get all. Who finds none waits, and the next one goes to
// the tenant that has the fewest in the lane. So a tenant's slow statements wait for
// each other, and quick ones hardly ever wait for them.
type Connections struct {
	clock clock.Clock
	// total are all connections, kept those of them that only look-ups get.
	total, kept int

	mu                            sync.Mutex
	lookUps, quick, unknown, slow lane
	taken                         int
	estimates                     *estimates
}

// lane is the statements of one kind.
type lane struct {
	line
	// most run at once, and each of one tenant.
	most, each int
	// takes is how long they run, as a moving average.
	takes time.Duration
}

const (
	// slowLane is the part of the connections that slow statements may have.
	slowLane = 4
	// waitForConnection bounds how long an operation waits for a connection, but for
	// slow statements: these wait as long as the operation may take.
	waitForConnection = 5 * time.Second
	// hopelessAfter is when a slow statement would not begin in the time that an
	// operation has.
	hopelessAfter = 10 * time.Second
	// retryConnection is when an operation that got none may be tried again.
	retryConnection = 2 * time.Second
)

// NewConnections returns so many connections. From four on, one of eight is kept for
// look-ups.
func NewConnections(total int, c clock.Clock) *Connections {
	kept := 0
	if total >= 4 {
		kept = max(1, total/8)
	}
	rest := total - kept
	newLane := func(most, each int) lane { return lane{line: newLine(), most: most, each: each} }
	unknown, slow := max(1, rest/2), max(1, total/slowLane)
	return &Connections{clock: c, total: total, kept: kept, estimates: newEstimates(),
		lookUps: newLane(total, total), quick: newLane(rest, rest), unknown: newLane(unknown, share(unknown)), slow: newLane(slow, share(slow))}
}

// Kept returns how many connections only look-ups get.
func (c *Connections) Kept() int { return c.kept }

// Use is a connection that is taken.
type Use struct {
	of    *Connections
	lane  *lane
	turn  *Turn
	key   statementKey
	began time.Time
	owner string
}

// Take takes a connection for a statement of a tenant, or, with an empty text, for a
// transaction. It returns a *Refusal when there is none for too long, or the error of
// ctx. Nil connections have no limit.
func (c *Connections) Take(ctx context.Context, owner, text string) (*Use, error) {
	if c == nil {
		return nil, nil
	}
	u := &Use{of: c, turn: turnFrom(ctx), owner: owner}
	w, patience, refused := c.ask(u, text, isLookUp(ctx))
	switch {
	case refused != nil:
		return nil, refused
	case w == nil:
		return u, nil
	}
	if err := c.wait(ctx, w, patience); err != nil {
		return nil, err
	}
	return u, nil
}

// ask takes a connection, for which it returns no waiter, or waits: with a patience of
// 0 for as long as the context of the operation. Nobody who waits is overtaken: none of
// them could have it.
func (c *Connections) ask(u *Use, text string, lookUp bool) (w *waiter, patience time.Duration, refused *Refusal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	switch {
	case lookUp:
		u.lane = &c.lookUps
	case text == "":
		u.lane = &c.quick
	default:
		u.key = keyOf(u.owner, text)
		u.lane = c.laneOf(u.key)
	}
	if u.turn != nil && u.lane == &c.slow {
		if u.lane.takes*time.Duration(u.lane.queued) > hopelessAfter*time.Duration(u.lane.most) {
			return nil, 0, &Refusal{Reason: NoConnection, After: retryConnection}
		}
		u.turn.leave()
	} else if u.turn != nil { // what is no operation waits for as long as it likes
		patience = waitForConnection
	}
	if c.hasRoom(u.lane) && u.lane.held[u.owner] < u.lane.each {
		c.begin(u, now)
		return nil, 0, nil
	}
	w = u.lane.add(u.owner, now)
	w.use = u
	return w, patience, nil
}

// laneOf returns the lane for a statement, by how long it took the last times.
func (c *Connections) laneOf(k statementKey) *lane {
	switch takes, known := c.estimates.of(k); {
	case !known:
		return &c.unknown
	case takes >= slowFrom:
		return &c.slow
	}
	return &c.quick
}

func (c *Connections) hasRoom(l *lane) bool {
	if l.running >= l.most || c.taken >= c.total {
		return false
	}
	return l == &c.lookUps || c.taken-c.lookUps.running < c.total-c.kept
}

func (c *Connections) begin(u *Use, now time.Time) {
	c.taken++
	u.lane.run(u.owner)
	u.began = now
}

// wait waits for what ask put into a queue.
func (c *Connections) wait(ctx context.Context, w *waiter, patience time.Duration) error {
	var late <-chan time.Time
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-w.decided:
		return nil
	case <-late:
		if c.giveUp(w) {
			return nil
		}
		return &Refusal{Reason: NoConnection, After: retryConnection}
	case <-ctx.Done():
		if c.giveUp(w) {
			w.use.Done()
		}
		return ctx.Err()
	}
}

// giveUp stops waiting; true when there is a connection after all.
func (c *Connections) giveUp(w *waiter) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, begun := w.use.lane.giveUp(w)
	return begun
}

// Done gives a connection back; a second time it does nothing.
func (u *Use) Done() {
	if u == nil {
		return
	}
	c := u.of
	c.mu.Lock()
	defer c.mu.Unlock()
	if u.began.IsZero() {
		return
	}
	now := c.clock.Now()
	took := now.Sub(u.began)
	u.began = time.Time{}
	c.taken--
	u.lane.end(u.owner)
	if u.lane.takes == 0 {
		u.lane.takes = took
	}
	u.lane.takes += (took - u.lane.takes) / lately
	if u.key != (statementKey{}) {
		c.estimates.learn(u.key, took)
		if u.turn != nil {
			u.turn.used.Add(int64(took))
		}
	}
	for c.lend(now) {
	}
}

// lend gives a free connection to whoever waits longest among those that are next in
// their lanes, look-ups first; false when there is none to give, or nobody to take it.
func (c *Connections) lend(now time.Time) bool {
	var next *waiter
	for _, l := range []*lane{&c.lookUps, &c.quick, &c.unknown, &c.slow} {
		if l.queued == 0 || !c.hasRoom(l) || next != nil && next.use.lane == &c.lookUps {
			continue
		}
		if queue := l.next(l.each); queue != nil && (next == nil || queue[0].since.Before(next.since)) {
			next = queue[0]
		}
	}
	if next == nil {
		return false
	}
	u := next.use
	u.lane.remove(next)
	if u.lane == &c.unknown && c.laneOf(u.key) == &c.slow { // it is known by now
		if u.turn != nil {
			u.turn.leave()
		}
		u.lane = &c.slow
		u.lane.append(next)
		return true
	}
	c.begin(u, now)
	next.decided <- nil
	return true
}

// State returns how many connections are taken, and how many statements wait for one.
func (c *Connections) State() (taken, waiting int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken, c.lookUps.queued + c.quick.queued + c.unknown.queued + c.slow.queued
}
