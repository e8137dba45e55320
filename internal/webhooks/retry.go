package webhooks

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// schedule are the pauses before each retry, the same for all subscriptions
// (api "Webhook deliveries"): about three days in all.
var schedule = []time.Duration{
	time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	// jitter is the largest deviation from a pause, so that what failed
	// together does not come back together.
	jitter = 0.2
	// mostRetryAfter is how long an endpoint may put a retry off.
	mostRetryAfter = 24 * time.Hour
	// longestPause is longer than any pause, with its deviation.
	longestPause = 2 * mostDelay * time.Minute

	// Of an endpoint that failed so often in a row, one message is tried at a
	// time, after this pause, until one gets through.
	circuitFailures = 10
	probeEvery      = time.Minute
)

// pause returns how long to wait after a number of attempts failed, the last of
// them with a; ok is false when the message is given up.
func (s *Service) pause(sub *Subscription, attempts int, a *attempt) (wait time.Duration, ok bool) {
	if a.status == http.StatusGone {
		return 0, false
	}
	switch {
	case s.ApplySubscriptionRetryPolicy && attempts > sub.MaxRetries:
		return 0, false
	case s.ApplySubscriptionRetryPolicy:
		wait = time.Duration(sub.RetryDelayMinutes) * time.Minute
	case attempts > len(schedule):
		return 0, false
	default:
		wait = schedule[attempts-1]
	}
	wait += time.Duration((rand.Float64()*2 - 1) * jitter * float64(wait))
	return a.notBefore(wait), true
}

// notBefore returns a pause, or the longer one that the endpoint asked for.
func (a *attempt) notBefore(pause time.Duration) time.Duration {
	return max(pause, min(a.retryAfter, mostRetryAfter))
}

// retryAfter reads the header of the name: seconds, or a date (RFC 9110
// §10.2.3).
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(seconds, 0), int(mostRetryAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return at.Sub(now)
	}
	return 0
}
