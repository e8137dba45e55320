// Package app assembles the server from its parts: the database, the areas, the
// two doors, access, jobs and observability. The command line starts it; tests
// and benchmarks use the same assembly.
package app

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"go.opentelemetry.io/otel/trace"

	"github.com/uplinehq/upline/app/edge"
	"github.com/uplinehq/upline/app/jobs"
	"github.com/uplinehq/upline/app/scim"
	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/graph/playground"
	"github.com/uplinehq/upline/graph/resolve"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/scenario"
	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/identity/preset"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/asset"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/oauth/relying"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/telemetry"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/webhooks"
	"github.com/uplinehq/upline/rest"
)

// Audience is the aud of the tokens the server accepts.
const Audience = "upline"

// Config sets up an App.
type Config struct {
	Store *store.Store
	Clock clock.Clock
	// Key is the key-encryption key: 32 bytes that wrap the keys of every tenant.
	Key []byte
	// Issuer is the URL of the server as its clients see it, the iss of its
	// tokens.
	Issuer string
	// TokenAlgorithm signs the tokens: RS256, or EdDSA, which an empty value means too.
	TokenAlgorithm string
	// ExternalIssuers are other authorization servers whose tokens are accepted.
	ExternalIssuers []oauth.ExternalIssuer
	Log             *slog.Logger
	// Playground is what the playground page offers.
	Playground playground.Config
	// Without are the paths of the pages that are not served.
	Without []string
	// Accounts are the users, with their passwords, that the sign-in page offers: those
	// of a demo.
	Accounts []oauth.Account
	// JobWorkers bounds the jobs run at once. Defaults to 20.
	JobWorkers int
	// Development lets webhook subscriptions use http and private addresses, lets
	// external issuers run on this machine without https, and lets pages of this machine
	// send requests from any port.
	Development bool
	// ApplySubscriptionRetryPolicy makes the maxRetries and retryDelayMinutes of
	// webhook subscriptions apply.
	ApplySubscriptionRetryPolicy bool
	// Retention is how long events and webhook deliveries are kept; 0 for ever.
	Retention time.Duration
	// Exports bound the files of exports and how long they are kept.
	Exports export.Limits
	// Limits bound what clients may ask for. A rate that is not set does not limit.
	Limits admission.Limits
	// MaxUpload is the size of the largest file that bulkImport takes, in bytes;
	// transport.DefaultMaxUpload when it is 0.
	MaxUpload int64
	// Origins are the origins, such as https://portal.example, whose pages may send
	// requests to this server from a browser; edge.AnyOrigin admits all. None by default.
	Origins []string
	// Tracer provides the spans of requests, operations, statements, jobs and
	// deliveries. None are recorded when it is nil.
	Tracer trace.TracerProvider
	// Proxies are the networks of the proxies whose X-Forwarded-For is trusted.
	Proxies []netip.Prefix
}

// App is an assembled server.
type App struct {
	Config
	Vault      *vault.Vault
	Tenants    *directory.Directory
	Agency     *agency.Service
	Hierarchy  *hierarchy.Service
	Audit      *audit.Trail
	Past       *past.Past
	Events     *events.Feed
	Webhooks   *webhooks.Service
	Identity   *identity.Service
	Onboarding *onboarding.Service
	Scenarios  *scenario.Service
	Presets    *preset.Service
	Recipes    *recipe.Service
	Insights   *insights.Service
	Facts      *facts.Service
	Imports    *bulkimport.Service
	Exports    *export.Service
	Graph      *graph.Server
	Health     *Health

	*observer
	live     *events.Live
	issuer   *oauth.Issuer
	verifier *oauth.Verifier
	// entities are the stored clients, keys and revocations.
	entities    *oauth.Tables
	signingKeys *keyring.Ring
	rest        *rest.Handler
	metrics     *prometheus.Registry
	backlog     *backlogMetrics
	waiting     []waiting
	guard       *guard
	// recheck is how often the credentials of a stream are checked again.
	recheck time.Duration
	party   party
}

// forget makes this process judge tokens, keys and grants anew, after it has changed what
// they are worth.
func (a *App) forget() {
	if a.verifier != nil { // nothing is remembered while the server is made
		a.verifier.Forget()
	}
}

// New assembles a server. The database must have all migrations.
func New(ctx context.Context, c Config) (*App, error) {
	if c.Tracer == nil {
		c.Tracer = telemetry.Silent()
	}
	if c.JobWorkers == 0 {
		c.JobWorkers = 20
	}
	a := &App{Config: c, Health: &Health{store: c.Store, clock: c.Clock, log: c.Log}, metrics: prometheus.NewRegistry(), recheck: recheckStreams}
	a.observer = &observer{c.Clock, c.Log, c.Tracer, newRequestMetrics(a.metrics)}
	var err error
	if a.guard, err = newGuard(a.Config, a.metrics); err != nil {
		return nil, err
	}
	if a.Vault, err = vault.New(c.Key, directory.NewKeysets(c.Store)); err != nil {
		return nil, err
	}
	if err := a.Vault.Prepare(ctx, vault.Platform); err != nil {
		return nil, err
	}
	a.Tenants = directory.New(c.Store, c.Clock)
	a.Agency = agency.New(c.Store, c.Clock, a.Vault)
	a.Hierarchy = hierarchy.New(c.Store, c.Clock)
	a.Audit = audit.New(c.Store, c.Clock, a.Vault)
	a.Events = events.NewFeed(c.Store)
	a.live = events.NewLive(a.Events, c.Log)
	a.Webhooks = webhooks.New(webhooks.Config{Store: c.Store, Clock: c.Clock, Vault: a.Vault, Feed: a.Events, Find: a.Tenants.ByID, Log: c.Log,
		Development: c.Development, ApplySubscriptionRetryPolicy: c.ApplySubscriptionRetryPolicy, Retention: c.Retention, Around: a.aroundAttempt, Attempted: newAttemptMetrics(a.metrics)})
	a.party = party{relying.New(c.Development, c.Clock, c.Log), c.Issuer}
	signInKey, err := c.derive("upline sign-in")
	if err != nil {
		return nil, err
	}
	a.Identity = identity.New(identity.Config{Store: c.Store, Clock: c.Clock, Vault: a.Vault, Scopes: bearer.GrantableScopes(), Issuer: Issuer, SignInKey: signInKey, Party: a.party, Forget: a.forget})
	a.Onboarding = onboarding.New(c.Store, c.Clock, a.Vault, onboardingAgency{a.Agency})
	a.Insights = insights.New(c.Store, c.Clock)
	a.Facts = facts.New(c.Store, c.Clock, a.Vault)
	a.Recipes = recipe.New(c.Store, c.Clock, a.Vault)
	a.Scenarios = scenario.New(c.Store, c.Clock, a.Vault, a.Agency)
	a.Presets = preset.New(c.Store, c.Clock, a.Vault)
	a.Exports = a.newExports()
	a.backlog = newBacklogMetrics(a.metrics)
	a.waiting = newWaitingMetrics(a.metrics, c.Store)
	observeReplica(a.metrics, c.Store)
	countSubscribers(a.metrics, a.live, a.Webhooks, a.Exports)
	tenants := directory.NewService(a.Tenants, a.Vault)
	kinds := slices.Concat(tenants.Kinds(), a.Identity.Kinds(), a.Scenarios.Kinds(), a.Agency.Kinds())
	a.Past = past.New(c.Store, c.Clock, a.Vault, kinds...)
	a.Imports = NewImports(c.Store, c.Clock, a.Vault, a.Agency, a.Facts, a.Past)
	a.Graph = graph.New(graph.Config{
		Resolver: &resolve.Resolver{Store: c.Store, Clock: c.Clock, Agency: a.Agency, Authorized: authorization.New(c.Store), Hierarchy: a.Hierarchy, Events: a.Events, Live: a.live,
			Webhooks: a.Webhooks, Identity: a.Identity, Onboarding: a.Onboarding, Insights: a.Insights, Facts: a.Facts, Recipes: a.Recipes, Scenarios: a.Scenarios, Presets: a.Presets, Imports: a.Imports, Exports: a.Exports, Audit: a.Audit, Past: a.Past, Tenants: tenants, Vault: a.Vault, Log: c.Log},
		Log:     c.Log,
		TraceID: traceID,
		Begin:   a.beginOperation,
		Charge:  a.guard.chargeCost,
		Outage:  a.guard.outage,
	})
	a.Exports.Read(a.Graph.Exports())
	if err := a.openAccess(ctx); err != nil {
		return nil, err
	}
	tagKey, err := c.derive("upline ETag")
	if err != nil {
		return nil, err
	}
	a.rest, err = rest.New(rest.Config{
		Executor: a.Graph, TagKey: tagKey, Authorize: a.authorizeREST, Admit: a.guard.admitted, Outage: a.guard.outage, Idempotency: idempotency.New(c.Store, c.Clock, a.Vault), Reveals: a.Audit,
		TraceID: traceID, PageSize: graph.PageSizes, PublicURL: c.Issuer, Logger: c.Log,
	})
	return a, err
}

func (a *App) openAccess(ctx context.Context) error {
	a.entities = oauth.NewTables(a.Store)
	var err error
	if a.signingKeys, err = keyring.New(ctx, a.entities, a.Vault, a.Clock); err != nil {
		return err
	}
	config := oauth.Config{Issuer: a.Issuer, Audience: Audience, Algorithm: a.TokenAlgorithm}
	if a.issuer, err = oauth.NewIssuer(config, a.entities, a.signingKeys, a.Clock, a.Log); err != nil {
		return err
	}
	if a.verifier, err = oauth.NewVerifier(config, a.signingKeys, a.Clock); err != nil {
		return err
	}
	a.verifier.HeedRevocations(a.entities)
	if err := a.verifier.AcceptIssuers(a.ExternalIssuers, a.Development, a.Clock, a.Log); err != nil {
		return err
	}
	if err := a.verifier.AcceptAPIKeys(a.entities, a.Log); err != nil {
		return err
	}
	a.issuer.AcceptAssertions(a.entities)
	if err := a.acceptPeople(a.entities); err != nil {
		return err
	}
	a.issuer.ServeTokens(oauth.TokenServices{Verifier: a.verifier, Revoker: a, Refresh: a.issuer.RefreshTokens()})
	return nil
}

// Handler serves every path for clients. The limits apply to all of them but the probes,
// which are answered even when the server is busy.
func (a *App) Handler() http.Handler {
	mux := http.NewServeMux()
	a.probes(mux)
	mux.Handle("/", a.origins().Across(a.guard.limited(a.paths())))
	return edge.FromProxies(a.Proxies)(a.traced(a.recovered(asset.Secured(noPage, a.encrypted(mux)))))
}

func (c Config) origins() edge.Origins {
	return edge.Origins{Server: c.Issuer, Others: c.Origins, Development: c.Development}
}

// encrypted tells browsers to come by HTTPS only, for a year, if that is how clients see the
// server.
func (a *App) encrypted(next http.Handler) http.Handler {
	if !strings.HasPrefix(a.Issuer, "https:") {
		return next
	}
	year := []string{"max-age=31536000; includeSubDomains"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Strict-Transport-Security"] = year
		next.ServeHTTP(w, r)
	})
}

// noPage is the content security policy of an answer that is no page: should a browser show
// it, it loads nothing, sends nothing and stands in no frame. Pages have policies of their
// own.
const noPage = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (a *App) paths() http.Handler {
	mux := http.NewServeMux()
	issuer := a.issuer.Handler()
	mux.Handle(oauth.TokenPath, promptly(a.guard.limitedTokens(issuer)))
	mux.Handle(oauth.RevocationPath, promptly(a.guard.gatedTokens(issuer)))
	mux.Handle(oauth.IntrospectionPath, promptly(a.guard.gatedTokens(issuer)))
	mux.Handle(oauth.UserInfoPath, promptly(a.guard.gatedTokens(issuer)))
	for _, path := range []string{oauth.KeySetPath, oauth.MetadataPath, oauth.OpenIDPath, oauth.AuthorizePath, oauth.SignInPath, oauth.SignOutPath, oauth.SessionPath, oauth.ArrivalPath, oauth.DeparturePath} {
		mux.Handle(path, promptly(issuer))
	}
	mux.Handle("/graphql/{tenantIdentifier}", edge.Compressed(a.graphQL(a.Graph.Handler(a.streams()))))
	mux.Handle(mcpPath+"{tenantIdentifier}", edge.Compressed(a.mcp()))
	mux.HandleFunc("GET "+resourcePath+mcpPath+"{tenantIdentifier}", a.mcpResource)
	mux.HandleFunc("GET "+export.DownloadPath+"{tenantIdentifier}/{id}", a.download)
	mux.HandleFunc("GET "+rest.ProblemPath+"{kind}", rest.ProblemPage(a.Graph.Schema()))
	mux.Handle(scim.Path+"{tenantIdentifier}/", promptly(edge.Compressed(a.scim())))
	a.pages(mux)
	mux.Handle("/", edge.Compressed(a.rest))
	return mux
}

// EndStreams ends every subscription: otherwise a server that shuts down would wait for
// them.
func (a *App) EndStreams() {
	a.live.Close()
	a.Webhooks.EndFollowing()
	a.Exports.EndFollowing()
}

// Jobs returns the runner of the background work.
func (a *App) Jobs() (store.JobRunner, error) {
	workers := river.NewWorkers()
	a.Hierarchy.AddWorkers(workers, a.Tenants.ByID)
	a.Exports.AddWorkers(workers)
	due := jobs.AddWorkers(workers, jobs.Services{Clock: a.Clock, Tenants: a.Tenants, Agency: a.Agency, Authorized: authorization.NewTeller(a.Store, a.Clock, a.Events), Audit: a.Audit, Events: a.Events, Webhooks: a.Webhooks,
		Identity: a.Identity, Exports: a.Exports, Answers: idempotency.New(a.Store, a.Clock, a.Vault), Credentials: a.entities, Keys: a.signingKeys})
	runner, err := a.Store.JobRunner(store.JobConfig{
		Workers: workers, Periodic: append(due, export.Periodic()),
		Logger: a.Log, Around: a.aroundJob, MaxWorkers: a.JobWorkers, Queues: map[string]int{export.Queue: export.AtOnce},
	})
	return &background{JobRunner: runner, app: a}, err
}

// background is the work of a process besides requests: jobs, deliveries, and periodic
// looks for work whose jobs were lost.
type background struct {
	store.JobRunner
	app         *App
	looking     sync.WaitGroup
	stopLooking context.CancelFunc
}

// Start implements store.JobRunner.
func (b *background) Start(ctx context.Context) error {
	b.app.Webhooks.Start(ctx)
	looking, stop := context.WithCancel(ctx)
	b.stopLooking = stop
	b.every(looking, 2*time.Second, "look for teams whose hierarchy is behind", b.app.Hierarchy.Tick)
	b.every(looking, time.Second, "link the entries of the audit trail", b.app.Audit.LinkAll)
	b.every(looking, time.Minute, "store which parts of the schema were used", b.app.Graph.StoreUses)
	return b.JobRunner.Start(ctx)
}

// every does work at once and then from time to time, until ctx ends. Each process does: the
// jobs of a killed process wait for River's rescue, far longer than readers should wait.
func (b *background) every(ctx context.Context, pause time.Duration, what string, work func(context.Context) error) {
	b.looking.Go(func() {
		ticker := time.NewTicker(pause)
		defer ticker.Stop()
		for {
			if err := work(ctx); err != nil && ctx.Err() == nil {
				b.app.Log.WarnContext(ctx, what, slog.Any("error", err))
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
}

// Stop implements store.JobRunner.
func (b *background) Stop(ctx context.Context) error {
	var stopping sync.WaitGroup
	defer stopping.Wait()
	b.stopLooking()
	b.looking.Wait()
	if err := b.app.Graph.StoreUses(ctx); err != nil {
		b.app.Log.WarnContext(ctx, "store which parts of the schema were used", slog.Any("error", err))
	}
	b.app.Exports.Stop()
	stopping.Go(func() { b.app.Webhooks.Stop(ctx) })
	return b.JobRunner.Stop(ctx)
}
