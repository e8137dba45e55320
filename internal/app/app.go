// Package app assembles the server from its parts: the database, the areas, the
// two doors, access, jobs and observability. The command line starts it; tests
// and benchmarks use the same assembly.
package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/graph/playground"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/audit"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/events"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/idempotency"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/oauth"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenants"
	"github.com/uplinehq/upline/internal/vault"
	"github.com/uplinehq/upline/internal/webhooks"
	"github.com/uplinehq/upline/rest"
)

// Audience is the aud of the tokens the server accepts.
const Audience = "upline"

// Config sets up an App.
type Config struct {
	Store *store.Store
	Clock clock.Clock
	// Key is the key-encryption key: 32 bytes that wrap the keys of every
	// tenant.
	Key []byte
	// Issuer is the URL of the server as its clients see it, the iss of its
	// tokens.
	Issuer string
	Log    *slog.Logger
	// Playground is what the playground page offers.
	Playground playground.Config
	// JobWorkers bounds the jobs run at once. Defaults to 20.
	JobWorkers int
	// Development lets webhook subscriptions use http and private addresses.
	Development bool
	// ApplySubscriptionRetryPolicy makes the maxRetries and retryDelayMinutes of
	// webhook subscriptions apply.
	ApplySubscriptionRetryPolicy bool
	// Retention is how long events and webhook deliveries are kept; 0 for ever.
	Retention time.Duration
}

// App is an assembled server.
type App struct {
	Config
	Vault      *vault.Vault
	Tenants    *tenants.Directory
	Agency     *agency.Service
	Hierarchy  *hierarchy.Service
	Audit      *audit.Trail
	Events     *events.Feed
	Webhooks   *webhooks.Service
	Identity   *identity.Service
	Onboarding *onboarding.Service
	Recipes    *insights.Recipes
	Insights   *insights.Service
	Graph      *graph.Server

	live     *events.Live
	issuer   *oauth.Issuer
	verifier *oauth.Verifier
	rest     http.Handler
	metrics  *prometheus.Registry
	requests *requestMetrics
	backlog  *backlogMetrics
}

// New assembles a server. The database must have all migrations.
func New(ctx context.Context, c Config) (*App, error) {
	if c.JobWorkers == 0 {
		c.JobWorkers = 20
	}
	a := &App{Config: c, metrics: prometheus.NewRegistry()}
	a.requests = newRequestMetrics(a.metrics)
	var err error
	if a.Vault, err = vault.New(c.Key, tenants.NewKeysets(c.Store)); err != nil {
		return nil, err
	}
	if err := a.Vault.Prepare(ctx, vault.Platform); err != nil {
		return nil, err
	}
	a.Tenants = tenants.NewDirectory(c.Store, c.Clock)
	a.Agency = agency.New(c.Store, c.Clock, a.Vault)
	a.Hierarchy = hierarchy.New(c.Store, c.Clock)
	a.Audit = audit.New(c.Store, c.Clock, a.Vault)
	a.Events = events.NewFeed(c.Store)
	a.live = events.NewLive(a.Events, c.Log)
	a.Webhooks = webhooks.New(webhooks.Config{Store: c.Store, Clock: c.Clock, Vault: a.Vault, Feed: a.Events, Find: a.Tenants.ByID, Log: c.Log,
		Development: c.Development, ApplySubscriptionRetryPolicy: c.ApplySubscriptionRetryPolicy, Retention: c.Retention, Attempted: newAttemptMetrics(a.metrics)})
	a.Identity = identity.New(identity.Config{Store: c.Store, Clock: c.Clock, Vault: a.Vault, Scopes: oauth.TenantScopes(), PlatformGranted: oauth.PlatformGranted,
		NewSecret: oauth.NewSecret, NewAPIKey: oauth.NewAPIKey, HashSecret: oauth.HashSecret})
	a.Onboarding = onboarding.New(c.Store, c.Clock, a.Vault, onboardingAgency{a.Agency})
	a.Insights = insights.New(c.Store, c.Clock, a.Vault)
	a.Recipes = insights.NewRecipes(c.Store, c.Clock, a.Vault)
	a.backlog = newBacklogMetrics(a.metrics)
	countSubscribers(a.metrics, a.live, a.Webhooks)
	a.Graph = graph.New(graph.Config{
		Resolver: &graph.Resolver{Store: c.Store, Clock: c.Clock, Agency: a.Agency, Hierarchy: a.Hierarchy, Events: a.Events, Live: a.live,
			Webhooks: a.Webhooks, Identity: a.Identity, Onboarding: a.Onboarding, Insights: a.Insights, Recipes: a.Recipes, Audit: a.Audit, Vault: a.Vault, Log: c.Log},
		Log:     c.Log,
		TraceID: traceID,
	})
	if err := a.openAccess(ctx); err != nil {
		return nil, err
	}
	tagKey, err := hkdf.Key(sha256.New, c.Key, nil, "upline ETag", sha256.Size)
	if err != nil {
		return nil, err
	}
	a.rest, err = rest.New(rest.Config{
		Executor: a.Graph, TagKey: tagKey, Authorize: a.authorizeREST, Idempotency: idempotency.New(c.Store, c.Clock, a.Vault), Reveals: a.Audit,
		TraceID: traceID, PageSize: graph.PageSizes, Logger: c.Log,
	})
	return a, err
}

func (a *App) openAccess(ctx context.Context) error {
	entities := oauth.NewEntStore(a.Store)
	ring, err := oauth.NewKeyRing(ctx, entities, a.Vault, a.Clock)
	if err != nil {
		return err
	}
	config := oauth.Config{Issuer: a.Issuer, Audience: Audience}
	if a.issuer, err = oauth.NewIssuer(config, entities, ring, a.Clock, a.Log); err != nil {
		return err
	}
	if a.verifier, err = oauth.NewVerifier(config, ring, a.Clock); err != nil {
		return err
	}
	return a.verifier.AcceptAPIKeys(entities, a.Log)
}

// Handler serves every path.
func (a *App) Handler() http.Handler {
	mux := http.NewServeMux()
	issuer := a.issuer.Handler()
	for _, path := range []string{oauth.TokenPath, oauth.KeySetPath, oauth.MetadataPath} {
		mux.Handle(path, issuer)
	}
	mux.Handle("/graphql/{tenantIdentifier}", a.graphQL(a.Graph.Handler(a.streams())))
	mux.Handle(playground.Path, playground.Handler(a.Playground))
	mux.Handle("GET /{$}", http.RedirectHandler(playground.Path, http.StatusFound))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /readyz", a.ready)
	mux.Handle("GET /metrics", a.counted(promhttp.HandlerFor(a.metrics, promhttp.HandlerOpts{})))
	mux.Handle("/", a.rest)
	return a.traced(a.recovered(mux))
}

// EndStreams ends every subscription: a server that shuts down would wait for
// them.
func (a *App) EndStreams() {
	a.live.Close()
	a.Webhooks.EndFollowing()
}

// ready reports whether requests can be answered: the database is there and
// has all migrations.
func (a *App) ready(w http.ResponseWriter, r *http.Request) {
	err := a.Store.Ping(r.Context())
	if err == nil {
		var pending bool
		if pending, err = a.Store.PendingMigrations(r.Context()); pending {
			err = errors.New("migrations are pending: run upline migrate")
		}
	}
	if err != nil {
		a.Log.WarnContext(r.Context(), "not ready", slog.Any("error", err))
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Jobs returns the runner of the background work.
func (a *App) Jobs() (store.JobRunner, error) {
	workers := river.NewWorkers()
	a.Hierarchy.AddWorkers(workers, a.Tenants.ByID)
	river.AddWorker(workers, &numberWorker{feed: a.Events, find: a.Tenants.ByID})
	river.AddWorker(workers, &expiryWorker{agency: a.Agency, tenants: a.Tenants})
	river.AddWorker(workers, &retentionWorker{webhooks: a.Webhooks, tenants: a.Tenants})
	river.AddWorker(workers, &sweepWorker{answers: idempotency.New(a.Store, a.Clock, a.Vault), tenants: a.Tenants})
	jobs, err := a.Store.JobRunner(store.JobConfig{
		Workers: workers, Periodic: []*river.PeriodicJob{hierarchy.Periodic(), numberPeriodic(), expiryPeriodic(), retentionPeriodic(), sweepPeriodic()},
		Logger: a.Log, MaxWorkers: a.JobWorkers,
	})
	return background{jobs, a.Webhooks}, err
}

// background is the work of a process besides requests: jobs, and deliveries.
type background struct {
	store.JobRunner
	webhooks *webhooks.Service
}

// Start implements store.JobRunner.
func (b background) Start(ctx context.Context) error {
	b.webhooks.Start(ctx)
	return b.JobRunner.Start(ctx)
}

// Stop implements store.JobRunner.
func (b background) Stop(ctx context.Context) error {
	var stopping sync.WaitGroup
	defer stopping.Wait()
	stopping.Go(func() { b.webhooks.Stop(ctx) })
	return b.JobRunner.Stop(ctx)
}
