package ledger_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

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
