package app_test

import (
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

// mayFail reports whether requests may fail, as parts are killed that they need. Nobody
// notices that a replica is.
func (l *linear) mayFail() bool { return len(l.parts) > 0 && l.read == "" }

// disturb kills and starts parts, each time after some requests more, until it is over.
func (l *linear) disturb(over <-chan struct{}) {
	l.t.Helper()
	for n := l.asked.Load(); !isClosed(over); time.Sleep(time.Millisecond) {
		if len(l.parts) > 0 && l.asked.Load() > n+60 {
			l.restart(l.parts[l.disturbed%len(l.parts)])
			n = l.asked.Load() + rand.Int64N(60)
		}
	}
}

// restart kills a part, and starts it a moment later.
func (l *linear) restart(p part) {
	l.t.Helper()
	l.disturbed++
	l.away.Lock()
	defer l.away.Unlock()
	p.Kill()
	time.Sleep(time.Duration(rand.IntN(250)) * time.Millisecond)
	p.Start(l.t)
}

// awaitParts waits until no part is away: a client whose answer was lost asks no more until
// then.
func (l *linear) awaitParts() {
	l.away.RLock()
	defer l.away.RUnlock()
}

// insist sends a request until it is answered, for a minute at most.
func (l *linear) insist(server int, r request) answer {
	for end := l.now() + int64(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if a := l.send(l.t.Context(), server, r); !a.isLost() || !l.mayFail() || l.now() > end {
			return a
		}
	}
}

// answeredByReplica is how many queries a replica answered.
func (l *linear) answeredByReplica() (n int64) {
	for _, s := range l.stores {
		n += s.Replica().Answered
	}
	return n
}

// killed has the servers be processes of their own, which are parts.
func (l *linear) killed() *linear {
	for len(l.servers) < l.count() {
		p := &process{url: l.url, clock: l.clock}
		p.Start(l.t)
		l.t.Cleanup(p.Kill)
		l.servers, l.parts = append(l.servers, p), append(l.parts, p)
	}
	return l
}

// renewToken asks for another token: the clocks of processes go on, perhaps for longer than
// one holds.
func (l *linear) renewToken() {
	l.t.Helper()
	l.world.Clock.Move(l.clock.Now().Sub(l.world.Clock.Now()))
	l.token = l.world.As(apptest.Acme, allScopes...).Token(l.t)
}

// process is a server in a process of its own, that is asked by its handler.
type process struct {
	url   string
	clock ahead

	mu    sync.Mutex
	child *child
}

// Kill kills the process.
func (p *process) Kill() { p.child.kill() }

// Start starts it again.
func (p *process) Start(t testing.TB) {
	t.Helper()
	c := startChild(t, p.url, childAhead+"="+time.Duration(p.clock).String())
	if c.url == "" {
		t.Fatal("the server did not start")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.child = c
}

// ServeHTTP asks the process; without an answer it says 502.
func (p *process) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	host := strings.TrimPrefix(p.child.url, "http://")
	p.mu.Unlock()
	sent := r.Clone(r.Context())
	sent.RequestURI, sent.URL.Scheme, sent.URL.Host = "", "http", host
	answer := httptest.NewRecorder()
	response, err := http.DefaultClient.Do(sent)
	if err == nil {
		defer response.Body.Close()
		_, err = io.Copy(answer, response.Body)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	maps.Copy(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	_, _ = answer.Body.WriteTo(w)
}
