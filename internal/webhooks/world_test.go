package webhooks_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/webhooks"
)

var start = time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC)

// world is a service on a database of the test, with a clock that stands still.
type world struct {
	*webhooks.Service
	t      testing.TB
	store  *store.Store
	clock  *clock.Fixed
	vault  *vault.Vault
	find   events.FindTenant
	log    *locked
	tenant *tenant.Tenant
	ctx    context.Context
	// looks counts how often delivering processes looked at what others changed.
	looks atomic.Int64
}

func newWorld(t testing.TB, s *store.Store, change ...func(*webhooks.Config)) *world {
	t.Helper()
	w := &world{t: t, store: s, clock: clock.At(start), log: &locked{}}
	var err error
	if w.vault, err = vault.New(bytes.Repeat([]byte{7}, 32), directory.NewKeysets(s)); err != nil {
		t.Fatal(err)
	}
	w.tenant, err = directory.Create(t.Context(), s, w.vault, w.clock, directory.NewTenant{
		Identifier: "acme", Name: "Acme", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
	if err != nil {
		t.Fatal(err)
	}
	w.find = directory.New(s, w.clock).ByID
	w.ctx = tenant.WithCaller(tenant.With(t.Context(), w.tenant), tenant.Caller{Subject: "tester", Scopes: readsAll})
	w.Service = w.another(change...)
	return w
}

// another returns a service as another process would have it.
func (w *world) another(change ...func(*webhooks.Config)) *webhooks.Service {
	c := webhooks.Config{Store: w.store, Clock: w.clock, Vault: w.vault, Feed: events.NewFeed(w.store), Find: w.find,
		Log: slog.New(slog.NewJSONHandler(w.log, nil)), Development: true,
		Passed: func(point string) {
			if point == "looked" {
				w.looks.Add(1)
			}
		}}
	for _, f := range change {
		f(&c)
	}
	return webhooks.New(c)
}

// locked is a log in memory.
type locked struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// each runs a test on both databases.
func each(t *testing.T, f func(t *testing.T, w *world), change ...func(*webhooks.Config)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, newWorld(t, s, change...)) })
}

func input(url string, names ...string) webhooks.Input {
	return webhooks.Input{URL: patch.Set(url), Events: patch.Set(names)}
}

// subscribe adds a subscription to all events of agents.
func (w *world) subscribe(url string, change ...func(*webhooks.Input)) *webhooks.Subscription {
	w.t.Helper()
	sub, _ := w.subscribeWithSecret(url, change...)
	return sub
}

// lead gives a subscription a URL that its check would refuse, and returns it.
func (w *world) lead(sub *webhooks.Subscription, url string) *webhooks.Subscription {
	w.t.Helper()
	err := w.store.InTx(w.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE webhook_subscription SET url = $1 WHERE tenant_id = $2 AND id = $3", url, w.tenant.ID, sub.ID)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return sub
}

func (w *world) subscribeWithSecret(url string, change ...func(*webhooks.Input)) (*webhooks.Subscription, string) {
	w.t.Helper()
	in := input(url, "Platform.AgencyManagement.Events.*")
	for _, f := range change {
		f(&in)
	}
	sub, secret, err := w.Create(w.ctx, in)
	if err != nil {
		w.t.Fatal(err)
	}
	return sub, secret.Reveal()
}

func ordered(in *webhooks.Input) { in.IsOrdered = patch.Set(true) }

// raise commits an event of an agent.
func (w *world) raise(agentCode string) {
	w.t.Helper()
	w.raiseAll(events.AgentEvent(w.tenant, events.AgentUpdated, events.AgentChange{AgentID: 1, AgentCode: agentCode, Operation: "agentUpdate",
		ChangedFields: []string{"lastName"}, Initiator: "tester"}))
}

func (w *world) raiseAll(all ...events.Event) {
	w.t.Helper()
	err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error { return events.WriteAll(ctx, tx, w.clock.Now(), all) })
	if err != nil {
		w.t.Error(err)
	}
}

// deliver does what a process does until nothing is due, and returns when
// there is more to do.
func (w *world) deliver(sub *webhooks.Subscription) *time.Time {
	w.t.Helper()
	if err := w.FanOut(w.ctx); err != nil {
		w.t.Fatal(err)
	}
	next, err := w.Drain(w.ctx, sub.ID, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return next
}

// deliveries returns those of a subscription, oldest first.
func (w *world) deliveries(sub *webhooks.Subscription) []*webhooks.Delivery {
	w.t.Helper()
	last := 100
	p, err := w.Deliveries(sub, webhooks.DeliveryFilter{}).Page(w.ctx, page.Args{Last: &last})
	if err != nil {
		w.t.Fatal(err)
	}
	all := make([]*webhooks.Delivery, len(p.Items))
	for i, d := range p.Items {
		all[len(all)-1-i] = d
	}
	return all
}

// got is a request that a receiver got.
type got struct {
	header http.Header
	body   []byte
}

func (g got) id() string { return g.header.Get("webhook-id") }

func (g got) sequence() int {
	n, _ := strconv.Atoi(g.header.Get("X-Webhook-Sequence"))
	return n
}

// receiver is an endpoint that remembers what it got.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	all []got
	// answer decides the answer; 204 without it.
	answer func(w http.ResponseWriter, n int)
}

func receive(t testing.TB, answer func(w http.ResponseWriter, n int)) *receiver {
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return
		}
		r.mu.Lock()
		r.all = append(r.all, got{q.Header, body})
		n, answer := len(r.all), r.answer
		r.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w, n)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) set(answer func(w http.ResponseWriter, n int)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *receiver) received() []got {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]got{}, r.all...)
}

// status answers with a status.
func status(code int) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, _ int) { w.WriteHeader(code) }
}

// until waits for something that another goroutine does.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for range 6000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: it did not happen", what)
}

func argsOf(first int) page.Args { return page.Args{First: &first} }

// otherTenant returns the context of another tenant.
func (w *world) otherTenant(identifier string) context.Context {
	w.t.Helper()
	other, err := directory.Create(w.t.Context(), w.store, w.vault, w.clock, directory.NewTenant{
		Identifier: identifier, Name: identifier, TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
	if err != nil {
		w.t.Fatal(err)
	}
	return tenant.WithCaller(tenant.With(w.t.Context(), other), tenant.Caller{Subject: "other", Scopes: readsAll})
}

// readsAll are the scopes that may hear the events of every area.
var readsAll = slices.Collect(maps.Values(events.ReadScopes()))
