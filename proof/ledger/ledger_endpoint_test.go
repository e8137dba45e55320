package ledger_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// endpoint is a subscription with its receiver.
type endpoint struct {
	*httptest.Server
	id                    string
	types                 []string
	isOrdered, isInactive bool
	mood                  func(dice int, w http.ResponseWriter, r *http.Request) (answered bool)

	mu       sync.Mutex
	requests int
	// ok are the types of events that were answered with 2xx, by the trace of
	// their request.
	ok map[string][]string
	// numbers holds the agents by the sequence, and first the place of the first
	// 2xx of each.
	numbers map[int]string
	first   map[int]int
	// receipts are all requests, by the sequence.
	receipts map[int][]*receipt
}

// receipt is a request that arrived.
type receipt struct {
	// delivery is the id of the attempt.
	delivery string
	at       time.Time
	// accepted says that it was answered with 2xx.
	accepted bool
}

func newEndpoint(t *testing.T, mood func(int, http.ResponseWriter, *http.Request) bool, types ...string) *endpoint {
	e := &endpoint{types: types, mood: mood, ok: map[string][]string{}, numbers: map[int]string{}, first: map[int]int{}, receipts: map[int][]*receipt{}}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

// fails is an endpoint that often fails.
func fails(dice int, w http.ResponseWriter, _ *http.Request) bool {
	if dice < 25 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	return dice < 25
}

// strange is one that hangs, redirects and hangs up.
func strange(dice int, w http.ResponseWriter, r *http.Request) bool {
	switch {
	case dice < 1: // until the server is killed
		select {
		case <-r.Context().Done():
		case <-time.After(3 * time.Second):
		}
		w.WriteHeader(http.StatusGatewayTimeout)
	case dice < 8:
		w.Header().Set("Location", "http://127.0.0.1:1/")
		w.WriteHeader(http.StatusFound)
	case dice < 16:
		panic(http.ErrAbortHandler)
	case dice < 22:
		time.Sleep(time.Duration(dice) * 20 * time.Millisecond)
		w.WriteHeader(http.StatusBadGateway)
	default:
		return false
	}
	return true
}

// ServeHTTP notes what it answers with 2xx.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Type, TraceID string
		Data          struct{ AgentCode string }
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		return // the server was killed while it sent
	}
	n, _ := strconv.Atoi(r.Header.Get("X-Webhook-Sequence"))
	got := &receipt{delivery: r.Header.Get("X-Webhook-Id"), at: time.Now()}
	e.mu.Lock()
	e.receipts[n] = append(e.receipts[n], got)
	e.mu.Unlock()
	answered := e.mood != nil && e.mood(rand.IntN(100), w, r)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests++
	if answered {
		return
	}
	e.ok[body.TraceID] = append(e.ok[body.TraceID], body.Type[strings.LastIndexByte(body.Type, '.')+1:])
	got.accepted = true
	if _, again := e.first[n]; !again {
		e.first[n] = len(e.first)
	}
	e.numbers[n] = body.Data.AgentCode
	w.WriteHeader(http.StatusNoContent)
}

func (e *endpoint) wants(name string) bool {
	if e.isInactive {
		return false
	}
	for _, t := range e.types {
		if t == name || strings.HasSuffix(t, "*") {
			return true
		}
	}
	return false
}

// verify checks that the numbers have no gap and all arrived, that nothing was
// given up, and the order.
func (e *endpoint) verify(t *testing.T, s *store.Store) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	var count, first, last, givenUp int
	_, err := store.One(t.Context(), dbtest.Owner(t, s), []any{&count, &first, &last, &givenUp}, `SELECT count(*), coalesce(min(m.sequence), 0), coalesce(max(m.sequence), 0),
		count(CASE WHEN m.state = 'GIVEN_UP' THEN 1 END) FROM webhook_message m
		JOIN webhook_subscription s ON s.tenant_id = m.tenant_id AND s.id = m.subscription_id WHERE s.uid = $1`, e.id)
	if err != nil {
		t.Fatal(err)
	}
	if e.isInactive {
		if count+e.requests > 0 {
			t.Errorf("the inactive subscription has %d messages, and got %d requests", count, e.requests)
		}
		return
	}
	if first != 1 || last != count || givenUp != 0 {
		t.Errorf("%v: %d messages numbered %d to %d, %d given up", e.types, count, first, last, givenUp)
	}
	if len(e.numbers) != count {
		t.Errorf("%v: the receiver got %d of %d numbers", e.types, len(e.numbers), count)
	}
	if !e.isOrdered {
		return
	}
	latest := map[string]int{}
	for n := 1; n <= last; n++ {
		agent := e.numbers[n]
		if e.first[n] < latest[agent] {
			t.Errorf("event %d of %s arrived before an earlier one", n, agent)
		}
		latest[agent] = max(latest[agent], e.first[n])
	}
}
