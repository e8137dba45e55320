package webhooks

import (
	"net/http"
	"strconv"
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
	// mostRetryAfter is how long an endpoint may postpone a retry.
	mostRetryAfter = 24 * time.Hour
	// longestPause is longer than any pause with its deviation.
	longestPause = 2 * mostDelay * time.Minute

	// An endpoint that has failed that often in a row gets one message at a time, after
	// this pause, until one is accepted.
	circuitFailures = 10
	probeEvery      = time.Minute
)

// notBefore returns a pause, or the longer one that the endpoint asked for.
func (a *attempt) notBefore(pause time.Duration) time.Duration {
	return max(pause, min(a.retryAfter, mostRetryAfter))
}

// retryAfter parses the header Retry-After: seconds, or a date (RFC 9110 §10.2.3).
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(seconds, 0), int(mostRetryAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return at.Sub(now)
	}
	return 0
}
