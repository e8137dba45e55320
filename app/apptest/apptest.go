// Package apptest assembles the whole server for tests: the same assembly that
// the command line starts, on a database of the test and with a clock that
// stands still.
//
// A World has tenants with the starter reference data and no agents. Callers
// get their tokens from the real token endpoint and send real requests to the
// handler, so access, both doors and the business are all on the way.
package apptest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/graph/playground"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// T is what the helpers need of a test: a *testing.T and a *rapid.T both have
// it.
type T interface {
	Helper()
	Context() context.Context
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// The tenants of a World: two, so that every test can look for what belongs to
// the other one.
const (
	Acme  = "acme"
	Umbra = "umbra"
)

// Agency are the scopes of the agency area, what a Caller holds unless told
// otherwise.
var Agency = []string{"read:agents", "write:agents", "delete:agents"}

// Issuer is the URL of the server as its clients see it.
const Issuer = "https://upline.test"

// Options set up a World. The zero value is usable.
type Options struct {
	// Now is where the clock stands: noon UTC of June 15, 2026, by default.
	Now time.Time
	// Development lets webhook subscriptions use http and private addresses.
	Development bool
	// ExternalIssuers are other issuers whose tokens are accepted.
	ExternalIssuers []oauth.ExternalIssuer
	// Limits are those of the server. By default there are no rates, and whoever
	// finds the server busy waits, as long as it takes.
	Limits admission.Limits
	// Origins are those whose pages may ask the server.
	Origins []string
	// Proxies are the proxies that the server trusts.
	Proxies []netip.Prefix
	// TimeZone is that of both tenants, an IANA name. Defaults to UTC.
	TimeZone string
}

// World is an assembled server with two tenants.
type World struct {
	*app.App
	Clock   *clock.Fixed
	Tenants map[string]*tenant.Tenant

	handler http.Handler
	log     *buffer
	mu      sync.Mutex
	clients map[string]string // secrets by client id
}

// Tests make more users than anybody signs in, and none of their passwords is worth much.
func init() { identity.CheapPasswords() }

// key is the key-encryption key of every World.
var key = bytes.Repeat([]byte{7}, 32)

// New assembles a server on an empty database that has all tables.
func New(t T, s *store.Store, o Options) *World {
	t.Helper()
	if o.Now.IsZero() {
		o.Now = time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC)
	}
	if o.TimeZone == "" {
		o.TimeZone = "UTC"
	}
	if o.Limits == (admission.Limits{}) {
		o.Limits = admission.Limits{Queue: 10_000, Wait: 10 * time.Minute}
	}
	w := &World{Clock: clock.At(o.Now), Tenants: map[string]*tenant.Tenant{}, log: &buffer{}, clients: map[string]string{}}
	var err error
	w.App, err = app.New(t.Context(), app.Config{
		Store: s, Clock: w.Clock, Key: key, Issuer: Issuer, Development: o.Development, ExternalIssuers: o.ExternalIssuers,
		Limits: o.Limits, Proxies: o.Proxies, Origins: o.Origins,
		Log:        slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Playground: playground.Config{Examples: playground.DefaultExamples("A1000", "A1000")},
	})
	if err != nil {
		t.Fatalf("assemble: %v", err)
	}
	w.handler = w.App.Handler()
	for _, name := range []string{Acme, Umbra} {
		w.AddTenant(t, name, o.TimeZone)
	}
	return w
}

// AddTenant adds a tenant with the starter reference data, in a time zone (an IANA name).
func (w *World) AddTenant(t T, name, zone string) {
	t.Helper()
	var err error
	w.Tenants[name], err = directory.Create(t.Context(), w.Store, w.Vault, w.Clock, directory.NewTenant{
		Identifier: name, Name: name, TimeZone: zone, DefaultPageSize: 50, MaxPageSize: 100})
	if err != nil {
		t.Fatalf("tenant %s: %v", name, err)
	}
}

// Served is the world as another server of the same database serves it.
func (w *World) Served(a *app.App) *World {
	return &World{App: a, Clock: w.Clock, Tenants: w.Tenants, handler: a.Handler(), log: w.log, clients: w.clients}
}

// ServeHTTP serves a request as a listening server would.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) { w.handler.ServeHTTP(rw, r) }

// RoundTrip implements http.RoundTripper: a request over a network that is not
// there.
func (w *World) RoundTrip(r *http.Request) (*http.Response, error) {
	served := r.Clone(r.Context())
	served.RequestURI, served.RemoteAddr = r.URL.RequestURI(), "192.0.2.7:1234"
	if r.Body == nil {
		served.Body = http.NoBody
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, served)
	answer := rec.Result()
	answer.Request = r
	return answer, nil
}

// Metrics are those of the server.
func (w *World) Metrics() string {
	answer := httptest.NewRecorder()
	w.Admin().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return answer.Body.String()
}

// Logged returns all that was logged so far, a JSON object on each line.
func (w *World) Logged() string { return w.log.String() }

// Context returns the context of a request of a tenant's caller that holds
// scopes, those of Agency by default: for calls below the doors.
func (w *World) Context(t T, tenantIdentifier string, scopes ...string) context.Context {
	if scopes == nil {
		scopes = Agency
	}
	ctx := tenant.With(t.Context(), w.Tenants[tenantIdentifier])
	return tenant.WithCaller(ctx, tenant.Caller{Subject: "test", ClientID: "test", Scopes: scopes})
}

// RebuildNow flattens a tenant's hierarchy, as the job does.
func (w *World) RebuildNow(t T, tenantIdentifier string) {
	t.Helper()
	ctx := w.Context(t, tenantIdentifier)
	team, err := w.App.Agency.Team(ctx, record.DefaultTeam)
	if err == nil {
		_, err = w.Hierarchy.Rebuild(ctx, team)
	}
	if err != nil {
		t.Fatalf("rebuild: %v", err)
	}
}

// LeaveBehind has a tenant's hierarchy wait for a rebuild, as after a large move.
func (w *World) LeaveBehind(t T, tenantIdentifier string) {
	t.Helper()
	ctx := w.Context(t, tenantIdentifier)
	team, err := w.App.Agency.Team(ctx, record.DefaultTeam)
	if err == nil {
		err = w.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			return hierarchy.ChangedAll(ctx, tx, team, w.Clock.Now())
		})
	}
	if err != nil {
		t.Fatalf("leave behind: %v", err)
	}
}

// Raise commits an event of a tenant.
func (w *World) Raise(t T, tenantIdentifier string, e events.Event) {
	t.Helper()
	err := w.Store.InTx(w.Context(t, tenantIdentifier), func(ctx context.Context, tx *store.Tx) error {
		_, err := events.Write(ctx, tx, w.Clock.Now(), e)
		return err
	})
	if err != nil {
		t.Fatalf("raise: %v", err)
	}
}

// DeliverNow delivers what is due to a tenant's webhook subscriptions.
func (w *World) DeliverNow(t T, tenantIdentifier string) {
	t.Helper()
	ctx := w.Context(t, tenantIdentifier)
	err := w.Webhooks.FanOut(ctx)
	if err != nil {
		t.Fatalf("fan out: %v", err)
	}
	all, err := w.Webhooks.Subscriptions(ctx, false, page.Args{})
	for _, sub := range all.Items {
		_, drainErr := w.Webhooks.Drain(ctx, sub.ID, nil)
		err = errors.Join(err, drainErr)
	}
	if err != nil {
		t.Fatalf("deliver: %v", err)
	}
}

// LoadDemo fills a tenant with a made-up agency of so many agents, A1000 the
// first, and flattens its hierarchy.
func (w *World) LoadDemo(t T, tenantIdentifier string, agents int) *demo.Agency {
	t.Helper()
	in := w.Tenants[tenantIdentifier]
	a := demo.Generate(demo.Options{Agents: agents, Seed: 1, Today: clock.Today(w.Clock, in.Zone)})
	if err := demo.Load(t.Context(), w.Store, w.Vault, w.Clock, in, a.Options, func(int, int) {}); err != nil {
		t.Fatalf("load: %v", err)
	}
	w.RebuildNow(t, tenantIdentifier)
	return a
}

// client returns the id and secret of a client with scopes, added when it is
// first asked for. An empty tenant makes it a client of the platform.
func (w *World) client(t T, tenantIdentifier string, scopes []string) (id, secret string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	// All scopes together are longer than an id can be.
	id = fmt.Sprintf("client%s-%d-%x", tenantIdentifier, len(scopes), sha256.Sum224([]byte(strings.Join(scopes, " "))))
	if secret, ok := w.clients[id]; ok {
		return id, secret
	}
	added := identity.NewClient{ID: id, Secret: oauth.NewSecret(), Scopes: scopes}
	if tenantIdentifier != "" {
		added.TenantID = &w.Tenants[tenantIdentifier].ID
	}
	if err := app.Operator(w.Store).AddClient(t.Context(), added, w.Clock.Now()); err != nil {
		t.Fatalf("client: %v", err)
	}
	w.clients[id] = added.Secret
	return id, added.Secret
}

// buffer is a log in memory.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
