// Package admission decides which requests run now, which wait, and which are turned
// away, so that a flood harms only those who send it.
//
// Rates limit what a client, a tenant or an address may ask for: each has a bucket of
// tokens that fills at a steady rate. The gate limits the operations that run at once:
// others wait in a short queue, which is fair between tenants, and further ones are
// refused at once. Seats limit what is held for long, such as streams. Connections shares
// out the connections of the database, statement by statement. Everything is counted in
// this process alone.
package admission

import (
	"fmt"
	"time"
)

// Reason is why a request was refused. It is a label of a metric.
type Reason string

// The reasons. Rates are exceeded by the caller; the others mean that the server, or its
// database, is busy or away.
const (
	ClientRate  Reason = "client_rate"
	TenantRate  Reason = "tenant_rate"
	AddressRate Reason = "address_rate"
	ClientCost  Reason = "client_cost"

	// QueueFull: the queue has its maximum. Waited: the request has waited for its
	// maximum.
	QueueFull Reason = "queue_full"
	Waited    Reason = "waited"
	// Requests: too many requests are in hand. Streams: too many streams are open.
	Requests Reason = "requests"
	Streams  Reason = "streams"
	// Strangers: too many requests of callers without a token are in hand.
	Strangers Reason = "strangers"
	// NoConnection: no connection of the database became free in time. Database: it
	// cannot be reached. Disk: its disk is full.
	NoConnection Reason = "no_connection"
	Database     Reason = "database"
	Disk         Reason = "disk"
)

// Reasons are all reasons.
var Reasons = []Reason{ClientRate, TenantRate, AddressRate, ClientCost, QueueFull, Waited, Requests, Streams, Strangers, NoConnection, Database, Disk}

// Refusal is the error of a request that was not admitted.
type Refusal struct {
	Reason Reason
	// After is when the request may be tried again.
	After time.Duration
}

func (r *Refusal) Error() string { return "admission: refused: " + string(r.Reason) }

// Overload reports whether the server is busy; otherwise the caller asks for more than
// its share.
func (r *Refusal) Overload() bool {
	switch r.Reason {
	case ClientRate, TenantRate, AddressRate, ClientCost:
		return false
	}
	return true
}

// Seconds is After in whole seconds, at least 1, as in Retry-After.
func (r *Refusal) Seconds() int { return max(1, seconds(r.After)) }

// seconds rounds up.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// Limits are the settings. The zero value has no rates, and the default gate.
type Limits struct {
	// ClientRate and TenantRate are requests a minute; AddressRate is requests for tokens
	// and failed sign-ins a minute, from one address. 0 means no limit.
	ClientRate, TenantRate, AddressRate int
	// ClientCost is the cost of a client's operations, in points a minute; 0 means no
	// limit.
	ClientCost int
	// Yields says which of these only count while others need the machine.
	Yields Yields
	// Concurrency is how many operations run at once, TenantConcurrency how many of them
	// may belong to one tenant. They default to what the database serves at once, and
	// three quarters of it.
	Concurrency, TenantConcurrency int
	// Queue is how many operations may wait, by default 64 for each that may run. Wait is
	// how long they may wait, by default 500 ms; ten times as long if no more than 64 of
	// the tenant wait. See Gate.
	Queue int
	Wait  time.Duration
	// Streams is how many streams may be open, 1000 by default; one tenant may have three
	// quarters of them.
	Streams int
}

// Yields says of a rate that it only counts while others need the machine.
type Yields struct{ ClientRate, TenantRate, ClientCost bool }

const (
	defaultWait    = 500 * time.Millisecond
	defaultStreams = 1000
	queueForEach   = 64
	// strangersOfAll is the part of the requests in hand that callers without a token may
	// have, and strangersOfOne the part of that for one address.
	strangersOfAll, strangersOfOne = 8, 4
	leastStrangers                 = 16
	// requestsForEach is how many requests may be in hand for each operation that may
	// run; they include those that read their bodies and write their answers.
	requestsForEach = 128
)

// WithDefaults fills in what is not set. parallel is how many operations the database
// serves at once; leastCost is the highest cost of one operation, which a budget must
// hold.
func (l Limits) WithDefaults(parallel, leastCost int) (Limits, error) {
	for name, n := range map[string]int{"client rate": l.ClientRate, "tenant rate": l.TenantRate, "address rate": l.AddressRate, "client cost": l.ClientCost,
		"concurrency": l.Concurrency, "tenant concurrency": l.TenantConcurrency, "queue": l.Queue, "wait": int(l.Wait), "streams": l.Streams} {
		if n < 0 {
			return l, fmt.Errorf("admission: the %s must not be negative", name)
		}
	}
	if l.ClientCost > 0 && l.ClientCost < leastCost {
		return l, fmt.Errorf("admission: the client cost must be at least %d, which one operation may cost", leastCost)
	}
	setDefault(&l.Concurrency, parallel)
	setDefault(&l.TenantConcurrency, share(l.Concurrency))
	setDefault(&l.Queue, queueForEach*l.Concurrency)
	setDefault(&l.Wait, defaultWait)
	setDefault(&l.Streams, defaultStreams)
	l.TenantConcurrency = min(l.TenantConcurrency, l.Concurrency)
	return l, nil
}

// RetryOutage is when to try a request again that failed because the database was away.
const RetryOutage = 5 * time.Second

// Strangers returns the seats for callers without a token: few, and for one address a
// quarter of them.
func (l Limits) Strangers() *Seats {
	total := max(leastStrangers, l.Requests()/strangersOfAll)
	return &Seats{total: total, each: total / strangersOfOne, owned: map[string]int{}}
}

// Requests is how many requests may be in hand.
func (l Limits) Requests() int { return requestsForEach * l.Concurrency }

// share returns the part of n that one tenant may have: three quarters, so that something
// is left for others, however long its operations take.
func share(n int) int { return max(1, n*3/4) }

func setDefault[T int | time.Duration](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}
