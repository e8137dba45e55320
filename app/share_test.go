package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
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
	"github.com/uplinehq/upline/internal/tenant"
)

// takeAll takes every connection that operations may have, until the function that it
// returns is called.
func takeAll(t *testing.T, w *apptest.World) (giveBack func()) {
	t.Helper()
	const text = "SELECT 1"
	agencies := make([]context.Context, 2*w.Store.Parallel()) // one may not have all
	for i := range agencies {
		agencies[i] = tenant.With(t.Context(), &tenant.Tenant{Identifier: fmt.Sprint("holder", i)})
		if _, err := store.Collect(agencies[i], w.Store, store.ScanOne[int], text); err != nil { // it is known to be quick
			t.Fatal(err)
		}
	}
	release := make(chan struct{})
	var (
		holding sync.WaitGroup
		held    atomic.Int64
	)
	hold := func(store.Scanner) (int, error) {
		held.Add(1)
		<-release
		return 0, nil
	}
	for _, ctx := range agencies {
		holding.Go(func() {
			for { // who waited in vain, beside other work on the machine, waits again
				_, err := store.Collect(ctx, w.Store, hold, text)
				select {
				case <-release:
					return
				default:
					if err == nil {
						t.Error("a connection was given back too early")
					}
				}
			}
		})
	}
	// A connection that is taken may still be opening, and fail. One that is held does not.
	for {
		if taken, waiting := w.Store.Connections(); waiting > 0 && held.Load() == int64(taken) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return func() {
		close(release)
		holding.Wait()
	}
}

// While operations have all the connections that they may have, tokens are issued and
// looked at, and probes are answered. What needs one more is told to come back, through
// both doors.
func TestNoConnectionIsLeft(t *testing.T) {
	t.Parallel() // it waits
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.WithToken(apptest.Acme, w.As(apptest.Acme).Token(t))
		other := w.As(apptest.Umbra, "read:agents")
		other.Token(t)            // now there is such a client
		w.Clock.Move(time.Minute) // and nothing is remembered
		giveBack := takeAll(t, w)
		defer giveBack()
		if r := c.Send(t, http.MethodGet, "/readyz", nil, nil); r.Code != http.StatusNoContent {
			t.Errorf("readyz: %d", r.Code)
		}
		other.Token(t)
		if r := w.WithToken(apptest.Acme, "up_key_none").Send(t, http.MethodGet, agentsPath, nil, nil); r.Code != http.StatusUnauthorized {
			t.Errorf("a token that is none: %d", r.Code)
		}
		var both sync.WaitGroup
		both.Go(func() {
			wantRefused(t, c.Send(t, http.MethodGet, agentsPath, nil, nil), http.StatusServiceUnavailable, "UNAVAILABLE")
		})
		both.Go(func() {
			wantRefused(t, c.Send(t, http.MethodPost, apptest.GraphQLPath, nil, []byte(twoFields)), http.StatusServiceUnavailable, "UNAVAILABLE")
		})
		both.Wait()
		if shown := w.Metrics(); !strings.Contains(shown, `upline_refused_total{reason="no_connection"}`) || strings.Contains(shown, `{reason="no_connection"} 0`) {
			t.Error("the metrics do not count what got no connection")
		}
		if log := w.Logged(); strings.Contains(log, `"level":"ERROR"`) || strings.Count(log, "requests refused") != 1 {
			t.Errorf("the log: %s", log)
		}
	})
}

const twoFields = `{"query":"{ viewer { subject } agents(first: 1) { nodes { displayName } } certificationTypes { code } }"}`

// Two attackers count and skip with twenty fields at once. Another tenant's reads are
// all answered, as probes are; how fast, bench/flood measures.
func TestAttackers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Limits: admission.Limits{Wait: time.Minute}})
		w.LoadDemo(t, apptest.Acme, 60)
		w.LoadDemo(t, apptest.Umbra, 5)
		server := httptest.NewServer(w)
		defer server.Close()
		f := &flood{world: w, server: server, loud: w.As(apptest.Acme).Token(t), quiet: w.As(apptest.Umbra).Token(t)}
		query := "{"
		for i := range 20 {
			query += fmt.Sprintf(" a%d: certificationPeriods(first: 1, offset: %d) { totalCount }", i, 50+i)
		}
		attack, _ := json.Marshal(map[string]string{"query": query + " }"})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var all, attackers sync.WaitGroup
		for range 2 {
			attackers.Go(func() {
				for range 20 {
					response, answer, err := f.send(t.Context(), http.MethodPost, "/graphql/acme", f.loud, string(attack))
					if err != nil || response.StatusCode != http.StatusOK || strings.Contains(answer, "errors") {
						t.Errorf("an attacker: %v %s", err, answer)
					}
				}
			})
		}
		all.Go(func() { f.trickle(t, ctx) })
		all.Go(func() { f.watch(t, ctx) })
		attackers.Wait()
		cancel()
		all.Wait()
		if f.others.Load() == 0 || f.probes.Load() == 0 {
			t.Errorf("%d reads of the other tenant, %d probes", f.others.Load(), f.probes.Load())
		}
	})
}

// A client that leaves is no fault of the server, at either door.
func TestAClientLeaves(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 5)
		token := w.As(apptest.Acme).Token(t)
		ctx, leave := context.WithCancel(t.Context())
		leave()
		for method, path := range map[string]string{http.MethodGet: "/agency-management/acme/agents", http.MethodPost: "/graphql/acme"} {
			r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(`{"query":"{ agents(first: 1) { nodes { displayName } } }"}`))
			r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}}
			w.ServeHTTP(httptest.NewRecorder(), r)
		}
		shown := w.Metrics()
		for _, door := range []string{`{door="agency-management",method="GET",status="499"} 1`, `{door="graphql",method="POST",status="499"} 1`} {
			if !strings.Contains(shown, "upline_http_request_duration_seconds_count"+door) {
				t.Errorf("no request is counted as %s", door)
			}
		}
		if strings.Contains(shown, `status="503"`) || strings.Contains(w.Logged(), `"level":"ERROR"`) {
			t.Errorf("who left counts as a fault: %s", w.Logged())
		}
	})
}

// A server that is about to end says so to probes, and serves on until they know.
func TestDrain(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c, nobody := w.As(apptest.Acme), w.WithToken("", "none")
		ready := func(want int) {
			t.Helper()
			if r := nobody.Send(t, http.MethodGet, "/readyz", nil, nil); r.Code != want {
				t.Errorf("readyz: %d, want %d", r.Code, want)
			}
		}
		ready(http.StatusNoContent)
		ctx, end := context.WithCancel(t.Context())
		drained := make(chan struct{})
		go func() {
			w.Health.Drain(ctx)
			close(drained)
		}()
		for nobody.Send(t, http.MethodGet, "/readyz", nil, nil).Code != http.StatusServiceUnavailable {
			time.Sleep(time.Millisecond)
		}
		if r := c.Send(t, http.MethodGet, agentsPath, nil, nil); r.Code != http.StatusOK {
			t.Errorf("a request meanwhile: %d", r.Code)
		}
		select {
		case <-drained:
			t.Error("it ends before probes know")
		default:
		}
		end()
		<-drained
		w.Clock.Move(time.Hour)
		w.Health.Drain(t.Context()) // nobody has asked for long: it returns at once
	})
}

// wantAway checks that both doors say that the database is away, and that it is said
// once in the log.
func wantAway(t *testing.T, w *apptest.World, token string, reason admission.Reason, send func(c *apptest.Caller) []*httptest.ResponseRecorder) {
	t.Helper()
	for _, r := range send(w.WithToken(apptest.Acme, token)) {
		wantRefused(t, r, http.StatusServiceUnavailable, "UNAVAILABLE")
		if after, _ := strconv.Atoi(r.Header().Get("Retry-After")); after != 5 {
			t.Errorf("Retry-After is %d", after)
		}
	}
	if n := strings.Count(w.Logged(), `"reason":"`+string(reason)+`"`); n != 1 {
		t.Errorf("%d lines: %s", n, w.Logged())
	}
}

func TestPostgresIsAway(t *testing.T) {
	cluster := dbtest.NewCluster(t)
	s, err := store.Open(t.Context(), cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := apptest.New(t, s, apptest.Options{})
	token := w.As(apptest.Acme).Token(t)
	reads := func(c *apptest.Caller) []*httptest.ResponseRecorder {
		return []*httptest.ResponseRecorder{
			c.Send(t, http.MethodGet, agentsPath, nil, nil),
			c.Send(t, http.MethodPost, apptest.GraphQLPath, nil, []byte(twoFields)),
			c.Send(t, http.MethodPost, apptest.GraphQLPath, nil, []byte(`{"query":"mutation { agentDelete(input: {agentCode: \"A1\"}) { applied } }"}`)),
		}
	}
	for _, r := range reads(w.WithToken(apptest.Acme, token))[:2] {
		if r.Code != http.StatusOK {
			t.Fatalf("before: %d %s", r.Code, r.Body)
		}
	}
	cluster.Kill()
	wantAway(t, w, token, admission.Database, reads)
	w.Clock.Move(15 * time.Second) // now the tenant has to be looked up
	for _, r := range reads(w.WithToken(apptest.Acme, token)) {
		wantRefused(t, r, http.StatusServiceUnavailable, "UNAVAILABLE")
	}
	if r := w.WithToken("", "none").Send(t, http.MethodGet, "/readyz", nil, nil); r.Code != http.StatusServiceUnavailable {
		t.Errorf("readyz: %d", r.Code)
	}
	cluster.Start(t)
	w.Clock.Move(time.Second)
	for _, r := range reads(w.WithToken(apptest.Acme, token))[:2] {
		if r.Code != http.StatusOK {
			t.Errorf("afterwards: %d %s", r.Code, r.Body)
		}
	}
	// A connection from before may be met once more: each is given up then.
	probe := func() int { return w.WithToken("", "none").Send(t, http.MethodGet, "/readyz", nil, nil).Code }
	code := probe()
	for range s.Parallel() {
		w.Clock.Move(time.Second)
		code = probe()
	}
	if code != http.StatusNoContent {
		t.Errorf("readyz afterwards: %d", code)
	}
}

func TestDiskIsFull(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	token := w.As(apptest.Acme).Token(t)
	limit := func(pages int) {
		t.Helper()
		err := w.Store.InTx(w.Context(t, apptest.Acme), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", pages))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	limit(1) // SQLite takes what it has for the least
	var full *httptest.ResponseRecorder
	register := func(c *apptest.Caller, i int) *httptest.ResponseRecorder {
		body, _ := json.Marshal(object{"agentCode": fmt.Sprintf("A%d", i), "firstName": strings.Repeat("a", 50), "lastName": "Diaz", "status": "Active",
			"teams": object{"default": object{"level": 10}}, "initiator": "hr"})
		return c.Send(t, http.MethodPost, agentsPath, nil, body)
	}
	wantAway(t, w, token, admission.Disk, func(c *apptest.Caller) []*httptest.ResponseRecorder {
		for i := 0; full == nil && i < 1000; i++ {
			if r := register(c, i); r.Code != http.StatusCreated {
				full = r
			}
		}
		if full == nil {
			t.Fatal("the disk is never full")
		}
		return []*httptest.ResponseRecorder{full}
	})
	limit(1 << 30)
	if r := register(w.WithToken(apptest.Acme, token), 5000); r.Code != http.StatusCreated {
		t.Errorf("when there is room again: %d %s", r.Code, r.Body)
	}
}
