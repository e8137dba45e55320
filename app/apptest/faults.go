package apptest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// ErrFault is the failure of a statement that fails on purpose.
var ErrFault = errors.New("the database failed on purpose")

// Checking is a test that can go on after an error.
type Checking interface {
	T
	Errorf(format string, args ...any)
}

// Faults sends each request with faults before it lets it pass. What failed must be
// answered with 5xx, or as without the fault, and must not change the database.
type Faults struct {
	t        Checking
	mu       sync.Mutex // one request after the other: nobody else changes the database
	database *store.Store
	next     http.Handler
	random   *rand.Rand
	every    bool
	// slow has the statement take longer than a request may, instead of failing.
	slow bool
	// Tried is how many requests failed.
	Tried int
	// Failed are the mutations that failed at least once.
	Failed    map[string]bool
	mutations *Mutations
	// TimedOut is how many requests were answered that their time was over.
	TimedOut int
}

// WithFaults makes the requests of a World fail before they succeed: at every statement, or
// at one that is drawn, the same in each run.
func (w *World) WithFaults(t Checking, seed uint64, every bool) *Faults {
	t.Helper()
	f := &Faults{t: t, database: dbtest.Owner(t, w.Store), next: w.handler, random: rand.New(rand.NewPCG(33, seed)), every: every,
		Failed: map[string]bool{}, mutations: w.Mutations(t)}
	w.handler = f
	return f
}

// WithSlowness is WithFaults with a statement that takes longer than a request may. The test
// has to be in virtual time.
func (w *World) WithSlowness(t Checking, seed uint64) *Faults {
	t.Helper()
	f := w.WithFaults(t, seed, false)
	f.slow = true
	return f
}

// ServeHTTP implements http.Handler. The last attempt has no fault.
func (f *Faults) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		f.t.Fatalf("%v", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.URL.Path == oauth.TokenPath { // every token is another
		r.Body = io.NopCloser(bytes.NewReader(body))
		f.next.ServeHTTP(w, r)
		return
	}
	writes := isWrite(r, body)
	compared := writes || f.every
	before := ""
	if compared {
		before = Contents(f.t, f.database)
	}
	var early []*attempt
	made := f.mutations.of(r, body)
	for at := 1; ; at++ {
		// Who reads and hangs up may have seen what the trail then says was shown. A request
		// with a key goes on without its client.
		a := &attempt{at: at, slow: f.slow, gone: !f.slow && writes && r.Header.Get("Idempotency-Key") == "" && f.random.IntN(4) == 0}
		if !f.every {
			a.at = f.drawn(at, made)
		}
		a.send(f.next, r, body)
		if !a.fired {
			f.compare(r, early, a)
			maps.Copy(w.Header(), a.answer.Header())
			w.WriteHeader(a.answer.Code)
			_, _ = w.Write(a.answer.Body.Bytes())
			return
		}
		if f.Tried++; isTimeout(a.answer) {
			f.TimedOut++
		}
		for _, mutation := range made {
			f.Failed[mutation] = true
		}
		early = append(early, a)
		if !compared {
			continue
		}
		if after := Contents(f.t, f.database); after != before {
			f.t.Errorf("%s %s %s failed at %q (hung up: %t), and changed the database: %s", r.Method, r.URL, body, a.moment, a.gone, firstDifference(before, after))
			before = after
		}
	}
}

// drawn is the statement that fails of an attempt: the second has no fault. That of a
// mutation that never failed is among the first, since some have few.
func (f *Faults) drawn(at int, made []string) int {
	most := 16
	for _, mutation := range made {
		if !f.Failed[mutation] {
			most = 6
		}
	}
	if at > 1 {
		return 1 << 30
	}
	return 1 + f.random.IntN(most)
}

// isWrite reports whether a request may change something.
func isWrite(r *http.Request, body []byte) bool {
	return r.Method != http.MethodGet && !bytes.HasPrefix(body, []byte(`{"query":"{`)) && !bytes.HasPrefix(body, []byte(`{"query":"query`))
}

// compare compares the answers of attempts with faults with that of the one without: they
// are faults of the server, or the same.
func (f *Faults) compare(r *http.Request, early []*attempt, last *attempt) {
	for _, a := range early {
		if a.gone || isFault(a.answer) {
			continue
		}
		if a.answer.Code != last.answer.Code || !bytes.Equal(a.answer.Body.Bytes(), last.answer.Body.Bytes()) {
			f.t.Errorf("%s %s failed at %q, and was answered %d %s; without a fault %d", r.Method, r.URL, a.moment, a.answer.Code, a.answer.Body, last.answer.Code)
		}
	}
}

// isFault reports whether an answer says that the server failed, through either door.
func isFault(answer *httptest.ResponseRecorder) bool {
	return answer.Code >= http.StatusInternalServerError || bytes.Contains(answer.Body.Bytes(), []byte(`"INTERNAL_SERVER_ERROR"`)) || isTimeout(answer)
}

// isTimeout reports whether an answer says that the time was over, through either door.
func isTimeout(answer *httptest.ResponseRecorder) bool {
	return bytes.Contains(answer.Body.Bytes(), []byte(`"`+problem.Timeout+`"`))
}

// attempt is one sending of a request, whose database fails at a statement.
type attempt struct {
	// at is the number of the statement, from 1. Statements after a commit are not
	// counted: TestLostAnswers fails those.
	at int
	// gone has the client hang up at the statement, instead of a failure.
	gone bool
	// slow has the statement begin when the time is over.
	slow bool

	mu        sync.Mutex
	seen      int
	committed bool
	fired     bool
	moment    string
	answer    *httptest.ResponseRecorder
}

func (a *attempt) send(to http.Handler, r *http.Request, body []byte) {
	ctx, hangUp := context.WithCancel(r.Context())
	defer hangUp()
	ctx = store.WithFault(ctx, func(moment string) error {
		fires := a.fires(moment)
		switch {
		case fires && a.slow:
			time.Sleep(limits.OperationTimeout + time.Second)
		case fires && a.gone:
			hangUp()
		case fires:
			return ErrFault
		}
		return nil
	})
	again := r.Clone(ctx)
	again.Body = io.NopCloser(bytes.NewReader(body))
	a.answer = httptest.NewRecorder()
	to.ServeHTTP(a.answer, again)
}

// fires counts a moment, and reports whether it is the one that fails.
func (a *attempt) fires(moment string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.committed = a.committed || moment == store.Committed; a.committed {
		return false
	}
	if a.seen++; a.seen != a.at || a.gone && moment == store.Commit {
		return false
	}
	a.fired, a.moment = true, moment
	return true
}
