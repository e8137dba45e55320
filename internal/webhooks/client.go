package webhooks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/outbound"
)

const (
	connectWithin = 5 * time.Second
	answerWithin  = 15 * time.Second
	// maxRead is how much of an answer is read, maxResponse how much of it is kept: "cut
	// to 10,000 characters" (Limits).
	maxRead     = 64 << 10
	maxResponse = 10_000
	// inFlight limits the concurrent requests of one subscription.
	inFlight = 32
)

// client sends requests to endpoints.
type client struct {
	http     *http.Client
	dialer   *net.Dialer
	outgoing *outgoing
	clock    clock.Clock
}

func newClient(development bool, c clock.Clock) *client {
	dialer := outbound.Dialer(connectWithin, development)
	return &client{clock: c, dialer: dialer, outgoing: newOutgoing(requestsAtOnce, requestsOfTenant), http: &http.Client{
		// The transport has no Proxy, since a proxy would connect where the guard cannot
		// check.
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: connectWithin, ForceAttemptHTTP2: true,
			MaxIdleConns: 1024, MaxIdleConnsPerHost: inFlight, IdleConnTimeout: 30 * time.Second,
			MaxResponseHeaderBytes: maxRead, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       answerWithin,
	}}
}

// request is what an attempt sends.
type request struct {
	key
	url       string
	headers   map[string]string
	secrets   []string
	eventID   string
	eventType string
	body      []byte
	// number is the number of the attempt; sequence is 0 for a test.
	number   int
	sequence int64
}

// attempt is the result of a request.
type attempt struct {
	id     string // the delivery's
	url    string
	number int
	at     time.Time
	took   time.Duration
	// status is 0 if there was no answer.
	status       int
	response     *string
	errorMessage *string
	retryAfter   time.Duration
}

// Outcome is the outcome of an attempt.
type Outcome string

// The outcomes.
const (
	Successful Outcome = "successful" // answered with 2xx
	Refused    Outcome = "refused"    // answered otherwise
	Unanswered Outcome = "unanswered"
)

func (a *attempt) outcome() Outcome {
	switch {
	case a.successful():
		return Successful
	case a.status > 0:
		return Refused
	}
	return Unanswered
}

func (a *attempt) successful() bool { return a.status/100 == 2 }

// send makes an attempt when its turn comes. An error is the service's own; every failure
// of the endpoint is part of the attempt.
func (c *client) send(ctx context.Context, r request) (*attempt, error) {
	leave, err := c.outgoing.enter(ctx, r.key)
	a := c.begin(r)
	if err != nil {
		a.fail("Too many requests were under way")
		return a, nil
	}
	defer leave()
	prepared, err := r.prepare(ctx, a)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(prepared)
	a.took = c.clock.Now().Sub(a.at)
	if err != nil {
		a.fail(outbound.Explain(err))
		return a, nil
	}
	defer response.Body.Close()
	a.status = response.StatusCode
	a.retryAfter = retryAfter(response.Header.Get("Retry-After"), c.clock.Now())
	// "A delivery is successful when the endpoint returns a 2xx status" (Events, 2): if
	// the body breaks off, what has arrived is kept.
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxRead))
	a.took = c.clock.Now().Sub(a.at)
	a.response = shown(text)
	switch {
	case a.status/100 == 3:
		a.fail("The endpoint redirects with status " + strconv.Itoa(a.status) + "; redirects are not followed")
	case !a.successful():
		a.fail("The endpoint answered with status " + strconv.Itoa(a.status))
	}
	return a, nil
}

// begin returns an attempt that begins now.
func (c *client) begin(r request) *attempt {
	return &attempt{id: uuid.Must(uuid.NewV7()).String(), url: r.url, number: r.number, at: c.clock.Now()}
}

func (a *attempt) fail(message string) { a.errorMessage = &message }

func (r request) prepare(ctx context.Context, a *attempt) (*http.Request, error) {
	signature, err := signatures(r.secrets, r.eventID, a.at, r.body)
	if err != nil {
		return nil, err
	}
	prepared, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(r.body))
	if err != nil {
		return nil, errors.New("webhooks: the stored URL cannot be used") // the error would repeat it
	}
	// Custom headers are set first, so none of them replaces one of ours.
	for name, value := range r.headers {
		prepared.Header.Set(name, value)
	}
	prepared.Header.Set("Content-Type", "application/json")
	prepared.Header.Set("User-Agent", "Upline-Webhooks")
	prepared.Header.Set("Webhook-Id", r.eventID)
	prepared.Header.Set("Webhook-Timestamp", timestamp(a.at))
	prepared.Header.Set("Webhook-Signature", signature)
	// "X-Webhook-Id equal to the delivery id" (Events, 1).
	prepared.Header.Set("X-Webhook-Id", a.id)
	prepared.Header.Set("X-Webhook-Event-Type", r.eventType)
	prepared.Header.Set("X-Webhook-Attempt", strconv.Itoa(r.number))
	if r.sequence > 0 {
		prepared.Header.Set("X-Webhook-Sequence", strconv.FormatInt(r.sequence, 10))
	}
	// With such a header the transport would repeat a request by itself (net/http,
	// Transport), but an attempt is one request.
	if prepared.Header["Idempotency-Key"] != nil || prepared.Header["X-Idempotency-Key"] != nil {
		prepared.GetBody = nil
	}
	return prepared, nil
}

// shown returns the part of an answer that is kept, as text that both databases accept.
func shown(body []byte) *string {
	text := strings.ReplaceAll(strings.ToValidUTF8(string(body), "\uFFFD"), "\x00", "\uFFFD")
	n := 0
	for i := range text {
		if n++; n > maxResponse {
			text = text[:i]
			break
		}
	}
	return &text
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

// notBefore returns a pause, or the longer one that the endpoint asked for.
func (a *attempt) notBefore(pause time.Duration) time.Duration {
	return max(pause, min(a.retryAfter, mostRetryAfter))
}

// mostRetryAfter is how long an endpoint may postpone a retry.
const mostRetryAfter = 24 * time.Hour
