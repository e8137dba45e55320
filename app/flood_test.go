package app_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// "A flood at ten times capacity: no crash, memory bounded, … others get 429 or
// 503." How long it takes is measured by bench/flood: here it is what was
// answered that counts, so that a busy machine breaks nothing.
func TestFlood(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Limits: admission.Limits{Concurrency: 2, Queue: 2, Wait: 20 * time.Millisecond}})
		w.LoadDemo(t, apptest.Acme, 40)
		w.LoadDemo(t, apptest.Umbra, 5)
		server := httptest.NewServer(w)
		defer server.Close()
		f := &flood{world: w, server: server, loud: w.As(apptest.Acme).Token(t), quiet: w.As(apptest.Umbra).Token(t)}
		before := heap()
		ctx, cancel := context.WithCancel(t.Context())
		var beside sync.WaitGroup
		beside.Go(func() { f.watch(t, ctx) })
		beside.Go(func() { f.trickle(t, ctx) })
		var all sync.WaitGroup
		for i := range 40 { // places and queue are 4
			all.Go(func() { f.pour(t, i) })
		}
		all.Wait()
		cancel()
		beside.Wait()
		if f.served.Load() == 0 || f.refused.Load() == 0 {
			t.Errorf("%d were served and %d refused", f.served.Load(), f.refused.Load())
		}
		if grown := heap() - before; grown > 64<<20 {
			t.Errorf("the heap has grown by %d MiB", grown>>20)
		}
		if most := f.running.Load(); most > 2 {
			t.Errorf("%d operations ran at once", most)
		}
		if lines := strings.Count(w.Logged(), "requests refused"); lines > len(admission.Reasons) {
			t.Errorf("%d refusals made %d lines", f.refused.Load(), lines)
		}
		t.Logf("%d served, %d refused, %d of another tenant, %d probes", f.served.Load(), f.refused.Load(), f.others.Load(), f.probes.Load())
	})
}

type flood struct {
	world                           *apptest.World
	server                          *httptest.Server
	loud, quiet                     string
	served, refused, others, probes atomic.Int64
	running                         atomic.Int64
}

func (f *flood) send(ctx context.Context, method, path, token, body string) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(ctx, method, f.server.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := f.server.Client().Do(r)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response, string(answer), err
}

// pour sends requests of one tenant, one after the other.
func (f *flood) pour(t *testing.T, worker int) {
	for n := range 25 {
		method, path, body := http.MethodGet, "/agency-management/acme/agents?pageSize=20", ""
		if (worker+n)%2 == 0 {
			method, path = http.MethodPost, "/graphql/acme"
			body = `{"query":"{ agents(first: 20) { nodes { displayName payStatus { name } upline { displayName } } } }"}`
		}
		response, answer, err := f.send(t.Context(), method, path, f.loud, body)
		switch {
		case err != nil:
			t.Errorf("no answer: %v", err)
		case response.StatusCode == http.StatusOK && strings.Contains(answer, "displayName") || response.StatusCode == http.StatusOK && method == http.MethodGet:
			f.served.Add(1)
		case response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "" && strings.Contains(answer, `"UNAVAILABLE"`):
			f.refused.Add(1)
		default:
			t.Errorf("answered %d %v %s", response.StatusCode, response.Header, answer)
		}
	}
}

// trickle is another tenant: one request at a time always finds the place that
// the flood cannot have.
func (f *flood) trickle(t *testing.T, ctx context.Context) {
	for ctx.Err() == nil {
		response, answer, err := f.send(t.Context(), http.MethodGet, "/agency-management/umbra/agents", f.quiet, "")
		if err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("another tenant: %v %s", err, answer)
			return
		}
		f.others.Add(1)
	}
}

var runningOf = regexp.MustCompile(`(?m)^upline_operations_running (\d+)$`)

// watch is who looks how the server does.
func (f *flood) watch(t *testing.T, ctx context.Context) {
	for ctx.Err() == nil {
		for path, status := range map[string]int{"/healthz": http.StatusNoContent, "/readyz": http.StatusNoContent} {
			response, answer, err := f.send(t.Context(), http.MethodGet, path, "", "")
			if err != nil || response.StatusCode != status {
				t.Errorf("%s: %v %s", path, err, answer)
				return
			}
			f.probes.Add(1)
		}
		if found := runningOf.FindStringSubmatch(f.world.Metrics()); found != nil {
			n, _ := strconv.ParseInt(found[1], 10, 64)
			f.running.Store(max(f.running.Load(), n))
		}
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Connections of subscriptions are counted apart, and one tenant leaves some to
// the others.
func TestStreamsAreBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Limits: admission.Limits{Streams: 4, Queue: 1000, Wait: time.Minute}})
		server := httptest.NewServer(w)
		defer server.Close()
		defer w.EndStreams()
		open := func(ctx context.Context, in, token string) *http.Response {
			t.Helper()
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/graphql/"+in, strings.NewReader(`{"query":"subscription { agentChanged { agentCode } }"}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}, "Authorization": {"Bearer " + token}}
			response, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { response.Body.Close() })
			return response
		}
		acme, umbra := w.As(apptest.Acme).Token(t), w.As(apptest.Umbra).Token(t)
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 3 {
			if r := open(ctx, apptest.Acme, acme); r.StatusCode != http.StatusOK {
				t.Fatalf("stream %d: %d", i, r.StatusCode)
			}
		}
		if r := open(t.Context(), apptest.Acme, acme); r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
			t.Errorf("one too many: %d", r.StatusCode)
		}
		if r := open(t.Context(), apptest.Umbra, umbra); r.StatusCode != http.StatusOK {
			t.Errorf("the other tenant: %d", r.StatusCode)
		}
		if r := open(t.Context(), apptest.Umbra, umbra); r.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("more than all: %d", r.StatusCode)
		}
		// Operations are not concerned.
		if status, _, _ := w.As(apptest.Acme).REST(t, http.MethodGet, "/agents", nil); status != http.StatusOK {
			t.Errorf("a read: %d", status)
		}
		cancel()
		for !strings.Contains(w.Metrics(), "upline_streams 1\n") {
			time.Sleep(time.Millisecond)
		}
		if r := open(t.Context(), apptest.Acme, acme); r.StatusCode != http.StatusOK {
			t.Errorf("when others ended: %d", r.StatusCode)
		}
	})
}
