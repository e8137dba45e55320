package webhooks_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
	"github.com/uplinehq/upline/internal/webhooks"
)

var ledgerRounds = flag.Int("ledger", 8, "how often TestLedger kills the server, on each database")

// Nothing is lost and nothing is made up, whenever the server is killed: in the
// end every event of a change that was acknowledged was answered with 2xx by
// every subscription that names it, the numbers have no gap, and no event of a
// change that was undone arrived. The receivers fail, hang, redirect and hang up
// at random, and the connections to PostgreSQL break.
func TestLedger(t *testing.T) {
	urls := map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "upline.db") },
		"postgres": func(t *testing.T) string { return dbtest.PostgresURL(t) },
	}
	for name, url := range urls {
		t.Run(name, func(t *testing.T) {
			l := &ledger{t: t, url: url(t), acknowledged: map[string]bool{}}
			l.prepare(name == "sqlite")
			for round := range *ledgerRounds {
				l.round(round)
			}
			l.settle()
			l.verify()
		})
	}
}

// ledger is what was acknowledged, and what arrived.
type ledger struct {
	t    *testing.T
	url  string
	subs []*endpoint

	mu           sync.Mutex
	acknowledged map[string]bool // ids of events; true for those of AgentUpdated
}

// endpoint is a subscription with its receiver.
type endpoint struct {
	*receiver
	sub   *webhooks.Subscription
	types []string

	mu sync.Mutex
	// ok are the events that were answered with 2xx, with the place of the
	// first such answer; numbers the events by their sequence.
	ok      map[string]int
	numbers map[int]string
	agents  map[string]string // by event
}

func (l *ledger) prepare(migrate bool) {
	l.t.Helper()
	s, err := store.Open(l.t.Context(), l.url)
	if err == nil && migrate {
		err = s.Migrate(l.t.Context())
	}
	if err != nil {
		l.t.Fatal(err)
	}
	defer s.Close()
	w := newWorld(l.t, s)
	for i, c := range []struct {
		isOrdered bool
		events    []string
		mood      func(dice int, w http.ResponseWriter) (answered bool)
	}{
		{false, []string{"Platform.AgencyManagement.Events.*"}, nil},
		{false, []string{"AgentUpdated"}, fails},
		{true, []string{"AgentUpdated", "AgentTagsChanged"}, fails},
		{false, []string{"AgentUpdated", "AgentTagsChanged"}, strange},
	} {
		e := &endpoint{ok: map[string]int{}, numbers: map[int]string{}, agents: map[string]string{}, types: c.events}
		e.receiver = receive(l.t, nil)
		e.set(func(w http.ResponseWriter, n int) { e.answer(w, e.received()[n-1], c.mood) })
		in := input(fmt.Sprintf("%s/%d", e.URL, i), c.events...)
		in.IsOrdered, in.MaxRetries, in.RetryDelayMinutes = patch.Set(c.isOrdered), patch.Set(100), patch.Set(0)
		if e.sub, _, err = w.Create(w.ctx, in); err != nil {
			l.t.Fatal(err)
		}
		l.subs = append(l.subs, e)
	}
}

// fails is an endpoint that often fails.
func fails(dice int, w http.ResponseWriter) bool {
	if dice < 25 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	return dice < 25
}

// strange is one that hangs, redirects and hangs up.
func strange(dice int, w http.ResponseWriter) bool {
	switch {
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

// answer is the answer to a request, which the ledger notes.
func (e *endpoint) answer(w http.ResponseWriter, g got, mood func(int, http.ResponseWriter) bool) {
	if mood != nil && mood(rand.IntN(100), w) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, again := e.ok[g.id()]; !again {
		e.ok[g.id()] = len(e.ok)
	}
	e.numbers[g.sequence()] = g.id()
	e.agents[g.id()] = agentOf(g)
	w.WriteHeader(http.StatusNoContent)
}

var points = []string{"", "before the fan-out", "the request left", "before the row"}

// round starts a server, lets writers write, and kills it: at any moment, or at
// one of the points.
func (l *ledger) round(n int) {
	l.t.Helper()
	child := exec.Command(os.Args[0])
	point := points[n%len(points)]
	child.Env = append(os.Environ(), childURL+"="+l.url, fmt.Sprintf("%s=%d", childRound, n), fmt.Sprintf("%s=%s %d", childPoint, point, 5+rand.IntN(40)))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		l.t.Fatal(err)
	}
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil { // it came to its point before it could say where it listens
		_ = child.Wait()
		return
	}
	base := "http://" + strings.TrimSpace(addr)
	var writers sync.WaitGroup
	for i := range 3 {
		writers.Go(func() { l.write(base, i) })
	}
	if point == "" && store.IsPostgres(l.url) {
		time.Sleep(300 * time.Millisecond)
		l.cut()
	}
	gone := make(chan struct{})
	go func() {
		writers.Wait() // they end when the server does
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(time.Duration(400+rand.IntN(800)) * time.Millisecond):
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	<-gone
}

// cut ends every connection to the database, as a restart of PostgreSQL does.
func (l *ledger) cut() {
	l.t.Helper()
	s, err := store.Open(l.t.Context(), l.url)
	if err != nil {
		l.t.Fatal(err)
	}
	defer s.Close()
	ended, err := store.Collect(l.t.Context(), s, store.ScanOne[bool],
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	if err != nil || len(ended) == 0 {
		l.t.Errorf("%d connections were ended (%v)", len(ended), err)
	}
}

// write changes agents until the server is gone.
func (l *ledger) write(base string, writer int) {
	for i := 0; ; i++ {
		address := fmt.Sprintf("%s/?agent=A%d&n=%d", base, rand.IntN(15), i)
		if undone := i%5 == 4; undone {
			address = fmt.Sprintf("%s/?agent=UNDONE%d&undone=1", base, writer)
		}
		ctx, cancel := context.WithTimeout(l.t.Context(), 10*time.Second)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
		if err != nil {
			l.t.Error(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			cancel()
			return
		}
		var ids []string
		err = json.NewDecoder(response.Body).Decode(&ids)
		_ = response.Body.Close()
		cancel()
		if err != nil || response.StatusCode != http.StatusOK {
			continue // it has no answer, and may be committed or not
		}
		l.mu.Lock()
		for _, id := range ids {
			l.acknowledged[id] = true
		}
		l.mu.Unlock()
	}
}
