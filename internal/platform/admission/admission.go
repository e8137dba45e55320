// Package admission decides which requests run now, which wait, and which are
// turned away, so that a flood costs those who send it and nobody else.
//
// Rates bound what a client, a tenant or an address may ask for: each has a
// bucket of tokens that fills again at a steady rate. The gate bounds the
// operations that run at once: beyond them a short queue waits, shared fairly
// between tenants, and the rest are refused at once. Seats bound what is held
// for long, such as streams. Connections are what is shared out of the database,
// statement by statement. All of it counts in this process alone.
package admission

import (
	"fmt"
	"time"
)

// Reason is why something was refused. It is a label of a metric.
type Reason string

// The reasons. Those of rates are the caller's doing; the others say that the
// server, or its database, is busy or away.
const (
	ClientRate  Reason = "client_rate"
	TenantRate  Reason = "tenant_rate"
	AddressRate Reason = "address_rate"
	ClientCost  Reason = "client_cost"

	// QueueFull: as many wait as may. Waited: one waited as long as it may.
	QueueFull Reason = "queue_full"
	Waited    Reason = "waited"
	// Requests: too many requests are in hand. Streams: too many are open.
	Requests Reason = "requests"
	Streams  Reason = "streams"
	// Strangers: too many are in hand of those who have not shown who they are.
	Strangers Reason = "strangers"
	// NoConnection: no connection of the database became free in time. Database: it
	// is not there. Disk: it has no room left.
	NoConnection Reason = "no_connection"
	Database     Reason = "database"
	Disk         Reason = "disk"
)

// Reasons are all reasons.
var Reasons = []Reason{ClientRate, TenantRate, AddressRate, ClientCost, QueueFull, Waited, Requests, Streams, Strangers, NoConnection, Database, Disk}

// Refusal is the error of whatever was not admitted.
type Refusal struct {
	Reason Reason
	// After is when it may be tried again.
	After time.Duration
}

func (r *Refusal) Error() string { return "admission: refused: " + string(r.Reason) }

// Overload reports whether the server is busy; otherwise the caller asks for
// more than its share.
func (r *Refusal) Overload() bool {
	switch r.Reason {
	case ClientRate, TenantRate, AddressRate, ClientCost:
		return false
	}
	return true
}

// Seconds is After in whole seconds, as Retry-After has it: at least 1.
func (r *Refusal) Seconds() int { return max(1, seconds(r.After)) }

// seconds rounds up.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// Limits are the settings. The zero value has no rates, and the gate of New.
type Limits struct {
	// ClientRate and TenantRate are requests in a minute, AddressRate those for
	// tokens, and failed sign-ins, from one address; 0 is without a limit.
	ClientRate, TenantRate, AddressRate int
	// ClientCost is the cost in a minute of a client's operations, in points; 0
	// is without a limit.
	ClientCost int
	// Concurrency is how many operations run at once; TenantConcurrency how many
	// of them may be one tenant's. Default to what the database serves at once,
	// and three quarters of it.
	Concurrency, TenantConcurrency int
	// Queue is how many operations may wait, 64 for each that runs by default, and
	// Wait for how long, 500 ms by default; ten times as long
	// where 64 of the tenant or fewer do. See Gate.
	Queue int
	Wait  time.Duration
	// Streams is how many subscriptions' connections may be open, 1000 by
	// default; one tenant may have three quarters of them.
	Streams int
}

const (
	defaultWait    = 500 * time.Millisecond
	defaultStreams = 1000
	queueForEach   = 64
	// strangersOfAll is the part of the requests in hand that may be of those who have
	// not shown who they are, and strangersOfOne that of it for one address.
	strangersOfAll, strangersOfOne = 8, 4
	leastStrangers                 = 16
	// requestsForEach are the requests in hand, reading their bodies and writing
	// their answers too, for each operation that runs.
	requestsForEach = 128
)

// WithDefaults fills in what is not set. parallel is how many operations the
// database serves at once; leastCost the most that one operation may cost.
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

// RetryOutage is when a request may be tried again for which the database was away.
const RetryOutage = 5 * time.Second

// Strangers returns seats for those who have not shown who they are: few, and of one
// address a fourth.
func (l Limits) Strangers() *Seats {
	total := max(leastStrangers, l.Requests()/strangersOfAll)
	return &Seats{total: total, each: total / strangersOfOne, owned: map[string]int{}}
}

// Requests is how many requests may be in hand.
func (l Limits) Requests() int { return requestsForEach * l.Concurrency }

// share is what one tenant may have of n: three quarters, so that there is
// something left for the others, however long its operations take.
func share(n int) int { return max(1, n*3/4) }

func setDefault[T int | time.Duration](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}
