package admission

import (
	"context"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/clock"
)

// Connections shares out the connections of a database, statement by statement: parallel
// statements of one operation each take one.
//
// Some connections are reserved for look-ups (AsLookUp). The others serve four classes. A
// transaction may have any of them, but one tenant's never all: they may wait for each other's
// locks. So may a statement that was lately quick for its
// tenant, of which one tenant runs only so many at once. Only a few slow statements run at
// once, and unknown statements may use half of the connections; of these two classes one
// tenant cannot have all. A statement that finds no connection waits; the next one goes to
// the tenant that has the fewest in the class. A transaction that waits for long gives the slot
// of its operation back. So a tenant's slow statements wait for each
// other, and quick ones hardly ever wait for them.
type Connections struct {
	clock clock.Clock
	// total is the number of all connections, kept the number of those reserved for
	// look-ups.
	total, kept int

	mu                                          sync.Mutex
	lookUps, transactions, quick, unknown, slow class
	taken                                       int
	estimates                                   *estimates
}

// class is the statements of one kind.
type class struct {
	line
	// most run at once, and each of one tenant.
	most, each int
	// takes is how long they usually run, as a moving average.
	takes time.Duration
}

const (
	// slowPart is the part of the connections that slow statements may use.
	slowPart = 4
	// waitForConnection limits how long an operation waits for a connection. For a slow
	// statement it waits until its own time ends.
	waitForConnection = 5 * time.Second
	// hopelessAfter is the wait after which a slow statement, or a transaction, could not begin within the
	// time of an operation.
	hopelessAfter = 10 * time.Second
	// retryConnection is when to try an operation again that got no connection.
	retryConnection = 2 * time.Second
)

// NewConnections returns total connections. If there are four or more, one of eight is
// reserved for look-ups. At most atOnce quick statements of one tenant run at the same time.
func NewConnections(total, atOnce int, c clock.Clock) *Connections {
	kept := 0
	if total >= 4 {
		kept = max(1, total/8)
	}
	rest := total - kept
	newClass := func(most, each int) class { return class{line: newLine(), most: most, each: each} }
	unknown, slow := max(1, rest/2), max(1, total/slowPart)
	return &Connections{clock: c, total: total, kept: kept, estimates: newEstimates(),
		lookUps: newClass(total, total), transactions: newClass(rest, max(1, rest-1)), quick: newClass(rest, min(rest, atOnce)), unknown: newClass(unknown, share(unknown)), slow: newClass(slow, share(slow))}
}

// Kept returns how many connections are reserved for look-ups.
func (c *Connections) Kept() int { return c.kept }

// Use is a connection that is taken.
type Use struct {
	of        *Connections
	class     *class
	operation *Operation
	key       statementKey
	began     time.Time
	owner     string
	charged   bool
}

// Charge counts the time of the connection as used by its operation, though it is that of a
// transaction: of a dry run, which changes nothing and can be asked for again and again.
func (u *Use) Charge() {
	if u != nil {
		u.charged = true
	}
}

// Take takes a connection for a statement of a tenant, or, if the text is empty, for a
// transaction. It returns a *Refusal if none becomes free in time, or the error of ctx.
// Nil connections have no limit.
func (c *Connections) Take(ctx context.Context, owner, text string) (*Use, error) {
	if c == nil {
		return nil, nil
	}
	u := &Use{of: c, operation: operationFrom(ctx), owner: owner}
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

// ask takes a connection and returns no waiter, or it waits: for its patience, or, if
// that is 0, until the context of the operation ends. It overtakes nobody who waits,
// since none of them could have the connection.
func (c *Connections) ask(u *Use, text string, lookUp bool) (w *waiter, patience time.Duration, refused *Refusal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	switch {
	case lookUp:
		u.class = &c.lookUps
	case text == "":
		u.class = &c.transactions
	default:
		u.key = keyOf(u.owner, text)
		u.class = c.classOf(u.key)
	}
	givesSlotBack := u.operation != nil && (u.class == &c.slow || u.class == &c.transactions)
	if givesSlotBack && u.class.takes*time.Duration(u.class.queued) > hopelessAfter*time.Duration(u.class.most) {
		return nil, 0, &Refusal{Reason: NoConnection, After: retryConnection}
	}
	if u.operation != nil && u.class == &c.slow {
		u.operation.leave()
	} else if u.operation != nil { // outside an operation there is no limit
		patience = waitForConnection
	}
	if c.hasRoom(u.class) && u.class.held[u.owner] < u.class.each {
		c.begin(u, now)
		return nil, 0, nil
	}
	w = u.class.add(u.owner, now)
	w.use = u
	return w, patience, nil
}

// classOf returns the class for a statement, by how long it took lately.
func (c *Connections) classOf(k statementKey) *class {
	switch takes, known := c.estimates.of(k); {
	case !known:
		return &c.unknown
	case takes >= slowFrom:
		return &c.slow
	}
	return &c.quick
}

func (c *Connections) hasRoom(l *class) bool {
	if l.running >= l.most || c.taken >= c.total {
		return false
	}
	return l == &c.lookUps || c.taken-c.lookUps.running < c.total-c.kept
}

func (c *Connections) begin(u *Use, now time.Time) {
	c.taken++
	u.class.run(u.owner)
	u.began = now
}

// wait waits for a waiter that ask has put into a queue.
func (c *Connections) wait(ctx context.Context, w *waiter, patience time.Duration) error {
	var late <-chan time.Time
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	var long <-chan time.Time
	if w.use.operation != nil && c.isTransaction(w.use) {
		timer := time.NewTimer(slowFrom)
		defer timer.Stop()
		long = timer.C
	}
	for {
		select {
		case <-w.decided:
			return nil
		case <-long: // behind a long transaction, such as the writer of SQLite
			w.use.operation.leave()
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
}

// isTransaction reports whether a transaction waits: lend may give a statement another class meanwhile.
func (c *Connections) isTransaction(u *Use) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return u.class == &c.transactions
}

// giveUp stops waiting; it returns true if the waiter got a connection after all.
func (c *Connections) giveUp(w *waiter) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, begun := w.use.class.giveUp(w)
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
	u.class.end(u.owner)
	if u.class.takes == 0 {
		u.class.takes = took
	}
	u.class.takes += (took - u.class.takes) / lately
	isStatement := u.key != (statementKey{})
	if isStatement {
		c.estimates.learn(u.key, took)
	}
	if u.operation != nil && (isStatement || u.charged) {
		u.operation.used.Add(int64(took))
	}
	for c.lend(now) {
	}
}

// lend gives a free connection to the waiter that has waited longest among those whose
// turn it is in their classes, look-ups first. It returns false if there is no connection,
// or no waiter who may have it.
func (c *Connections) lend(now time.Time) bool {
	var next *waiter
	for _, l := range []*class{&c.lookUps, &c.transactions, &c.quick, &c.unknown, &c.slow} {
		if l.queued == 0 || !c.hasRoom(l) || next != nil && next.use.class == &c.lookUps {
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
	u.class.remove(next)
	if u.class == &c.unknown && c.classOf(u.key) == &c.slow { // it is known by now
		if u.operation != nil {
			u.operation.leave()
		}
		u.class = &c.slow
		u.class.append(next)
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
	return c.taken, c.lookUps.queued + c.transactions.queued + c.quick.queued + c.unknown.queued + c.slow.queued
}
