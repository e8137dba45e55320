package webhooks

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// schedule has the pauses before each retry, the same for all subscriptions (api "Webhook
// deliveries"): about three days in all.
var schedule = []time.Duration{
	time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	// jitter is the largest deviation from a pause, so that messages that failed together
	// are not retried together.
	jitter = 0.2
	// longestPause is longer than any pause with its deviation.
	longestPause = 2 * mostDelay * time.Minute
)

// Schedule returns the pauses before each retry of a subscription that are in force.
func (c *Config) Schedule(sub *Subscription) []time.Duration {
	if !c.ApplySubscriptionRetryPolicy {
		return schedule
	}
	return slices.Repeat([]time.Duration{time.Duration(sub.RetryDelayMinutes) * time.Minute}, sub.MaxRetries)
}

// pause returns how long to wait after a number of failed attempts, the last of which is
// a; ok is false if the message is given up.
func (c *Config) pause(sub *Subscription, attempts int, a *attempt) (wait time.Duration, ok bool) {
	if a.status == http.StatusGone {
		return 0, false
	}
	pauses := c.Schedule(sub)
	if attempts > len(pauses) {
		return 0, false
	}
	wait = pauses[attempts-1]
	wait += time.Duration((rand.Float64()*2 - 1) * jitter * float64(wait))
	return a.notBefore(wait), true
}
