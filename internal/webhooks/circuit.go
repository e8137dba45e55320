package webhooks

import (
	"time"
)

// result is an attempt with its message.
type result struct {
	message *message
	attempt *attempt
	// asOf is the last change of the subscription that the attempt took into account.
	asOf time.Time
}

// An endpoint that has failed that often in a row gets one message at a time, after
// this pause, until one is accepted.
const (
	circuitFailures = 10
	probeEvery      = time.Minute
)

// circuit describes the health of an endpoint: after many failures in a row it gets one
// message at a time, until one is accepted.
type circuit struct {
	failures int
	probeAt  *time.Time
}

func (c circuit) open() bool { return c.failures >= circuitFailures }

// waits reports whether the next probe is still in the future. A probe later than any
// endpoint may ask for was set by a wrong clock, and is due.
func (c circuit) waits(now time.Time) bool {
	return c.probeAt != nil && c.probeAt.After(now) && !c.probeAt.After(now.Add(mostRetryAfter))
}

// after returns the circuit after the results, in the order they came. The next probe
// waits as long as the last answer asked for, like its message.
func (c circuit) after(results []result, now time.Time) circuit {
	if len(results) == 0 {
		return c
	}
	for _, r := range results {
		if c.failures++; r.attempt.successful() {
			c = circuit{}
		}
	}
	if c.probeAt = nil; c.open() {
		at := now.Add(results[len(results)-1].attempt.notBefore(probeEvery))
		c.probeAt = &at
	}
	return c
}
