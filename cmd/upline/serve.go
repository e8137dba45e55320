package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/edge"
	"github.com/uplinehq/upline/app/pages/workbench"
	"github.com/uplinehq/upline/graph/playground"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/process"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/telemetry"
)

type serveCommand struct {
	database
	ReadDatabase     string `help:"URL of a streaming replica that answers queries; see docs/operations.md." env:"UPLINE_READ_DATABASE"`
	Addr             string `help:"Address to listen on." default:"127.0.0.1:8080" env:"UPLINE_ADDR"`
	AdminAddr        string `help:"Address of metrics, profiles and probes, which need no token; off to serve none." default:"127.0.0.1:9464" env:"UPLINE_ADMIN_ADDR"`
	Issuer           string `help:"URL of the server as clients see it; http:// and the address by default." env:"UPLINE_ISSUER"`
	TokenAlgorithm   string `help:"Algorithm that signs access tokens: RS256 or EdDSA." default:"RS256" enum:"EdDSA,RS256" env:"UPLINE_TOKEN_ALGORITHM"`
	ExternalIssuers  string `help:"File that lists other issuers whose access tokens are accepted; see docs/operations.md." env:"UPLINE_EXTERNAL_ISSUERS" type:"path"`
	Migrate          bool   `help:"Migrate the database first." env:"UPLINE_MIGRATE"`
	AllowDemo        bool   `help:"Serve a database of the demo, although its secrets and passwords are public." env:"UPLINE_ALLOW_DEMO"`
	RowLevelSecurity bool   `help:"Refuse to start unless PostgreSQL's row-level security applies to the role; see docs/operations.md." env:"UPLINE_ROW_LEVEL_SECURITY"`
	KeepEvents       uint16 `help:"Days for which events and webhook deliveries are kept; 0 to keep them for ever." default:"90" env:"UPLINE_KEEP_EVENTS"`
	limitFlags
	exportFlags
	MaxUpload                    uint16        `help:"Size of the largest file that bulkImport takes, in MiB." default:"64" env:"UPLINE_MAX_UPLOAD"`
	KeepExports                  time.Duration `help:"How long the files of exports are kept." default:"24h" env:"UPLINE_KEEP_EXPORTS"`
	Workbench                    bool          `help:"Serve the workbench, the page for the people of an agency." default:"true" negatable:"" env:"UPLINE_WORKBENCH"`
	CORSOrigins                  []string      `name:"cors-origins" help:"Origins whose pages may call this server from a browser, such as https://portal.example; * for all." env:"UPLINE_CORS_ORIGINS"`
	Playground                   bool          `help:"Serve the playground, the page for writing queries." default:"true" negatable:"" env:"UPLINE_PLAYGROUND"`
	ApplySubscriptionRetryPolicy bool          `help:"Retry deliveries by maxRetries and retryDelayMinutes of each webhook subscription, instead of by one schedule for all." env:"UPLINE_APPLY_SUBSCRIPTION_RETRY_POLICY"`
}

// Validate implements kong's hook.
func (c *serveCommand) Validate() error {
	return errors.Join(c.exportFlags.Validate(), aboveZero(flagValue{"max-upload", int64(c.MaxUpload)}, flagValue{"keep-exports", int64(c.KeepExports)}))
}

// Run implements the command.
func (c *serveCommand) Run(ctx context.Context, log *slog.Logger) error {
	proxies, err := edge.ParseProxies(c.TrustedProxies)
	if err != nil {
		return err
	}
	origins, err := edge.ParseOrigins(c.CORSOrigins)
	if err != nil {
		return err
	}
	s, err := store.OpenWith(ctx, c.Database, store.Options{StatementTimeout: c.StatementTimeout, MustExist: !c.Migrate, ReadDatabase: c.ReadDatabase})
	if err != nil {
		return err
	}
	defer s.Close()
	if r := s.Replica(); r.Away != nil {
		log.WarnContext(ctx, "the read database is away; the database answers for it", slog.Any("error", r.Away))
	}
	if err := c.prepare(ctx, s); err != nil {
		return err
	}
	key, err := c.key(ctx, s)
	if err != nil {
		return err
	}
	others, err := externalIssuers(c.ExternalIssuers)
	if err != nil {
		return err
	}
	exports := c.exportFlags.limits()
	exports.Keep = c.KeepExports
	tracer, stopTraces, err := telemetry.Traces(ctx, thisBuild().version)
	if err != nil {
		return err
	}
	defer flush(stopTraces, log)
	a, err := app.New(ctx, app.Config{Tracer: tracer, Store: s, Clock: system, Key: key, Issuer: issuer(c.Issuer, c.Addr), Log: log, Exports: exports,
		TokenAlgorithm: c.TokenAlgorithm, ExternalIssuers: others, Origins: origins, Limits: c.limitFlags.limits(), Proxies: proxies, MaxUpload: int64(c.MaxUpload) << 20,
		Retention: time.Duration(c.KeepEvents) * 24 * time.Hour, ApplySubscriptionRetryPolicy: c.ApplySubscriptionRetryPolicy, Playground: playground.Config{Examples: playground.DefaultExamples("A1000", "A1000")}, Without: c.withoutPages()})
	if err != nil {
		return err
	}
	stopMetrics, err := telemetry.Metrics(ctx, thisBuild().version, a.Gatherer())
	if err != nil {
		return err
	}
	defer flush(stopMetrics, log)
	closeAdmin, err := c.serveAdmin(a, log)
	if err != nil {
		return err
	}
	defer closeAdmin()
	listener, err := listen(c.Addr)
	if err != nil {
		return err
	}
	return run(ctx, a, listener, log, func(addr string) { log.InfoContext(ctx, "listening", slog.String("address", addr)) })
}

// withoutPages are the paths of the pages that are switched off.
func (c *serveCommand) withoutPages() []string {
	var without []string
	if !c.Workbench {
		without = append(without, workbench.Path)
	}
	if !c.Playground {
		without = append(without, playground.Path)
	}
	return without
}

func (c *serveCommand) prepare(ctx context.Context, s *store.Store) error {
	if c.Migrate {
		if err := migrate(ctx, s); err != nil {
			return err
		}
	}
	if err := refuseBehind(ctx, s); err != nil {
		return err
	}
	if c.RowLevelSecurity && !s.RowLevelSecurity() {
		return errors.New("row-level security does not apply: the database is SQLite, or its user owns the tables or may bypass it; see docs/operations.md")
	}
	if c.AllowDemo {
		return nil
	}
	return refuseDemo(ctx, s)
}

// refuseBehind refuses a database that lacks migrations of this binary.
func refuseBehind(ctx context.Context, s *store.Store) error {
	pending, err := s.PendingMigrations(ctx)
	if err == nil && pending {
		err = errors.New("the database lacks migrations of this binary: run upline migrate, or serve --migrate")
	}
	return err
}

// refuseDemo refuses a database of the demo, and one that has a client of the demo: the
// secrets of the demo are public.
func refuseDemo(ctx context.Context, s *store.Store) error {
	marked, err := s.IsDemo(ctx)
	if err != nil {
		return err
	}
	if marked {
		return errors.New("the database is the demo's, whose secrets and passwords are public; use --allow-demo to serve it anyway")
	}
	clients := oauth.NewTables(s)
	for _, known := range demoClients() {
		client, err := clients.Client(ctx, known.ID)
		if err != nil && !errors.Is(err, oauth.ErrUnknownClient) {
			return err
		}
		if known.Secret != "" && client.Accepts(known.Secret, system.Now()) {
			return fmt.Errorf("the database has the demo's client %s, whose secret is public: disable it, rotate it with --overlap 0s, or use --allow-demo to serve it anyway", known.ID)
		}
	}
	return nil
}

// externalIssuers reads the file that lists the external issuers; none if no file is
// given.
func externalIssuers(file string) ([]oauth.ExternalIssuer, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return oauth.ParseExternalIssuers(text)
}

func issuer(given, addr string) string {
	if given != "" {
		return given
	}
	return "http://" + addr
}

const (
	// stopWithin is how long requests and jobs may go on after the server was told to
	// stop.
	stopWithin = 20 * time.Second
	// A request that arrives more slowly than this is cut off.
	readHeaderWithin = 10 * time.Second
	readWithin       = 30 * time.Second
	// writeWithin counts from the beginning of the request, so it covers its body, the
	// operation and the answer. Streams bound each of their writes instead.
	writeWithin = readWithin + 40*time.Second
	idleWithin  = 2 * time.Minute
)

// listen opens the address of the flag --addr. It comes before work that takes long, so
// that an address in use is known at once.
func listen(addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--addr: %w", err)
	}
	return listener, nil
}

// run serves on a listener until ctx ends, then finishes what is under way.
func run(ctx context.Context, a *app.App, listener net.Listener, log *slog.Logger, ready func(addr string)) error {
	process.RelaxGC()
	if !a.Store.Postgres() {
		process.SpareProcessors()
	}
	jobs, err := a.Jobs()
	if err != nil {
		return err
	}
	// The jobs outlive ctx: they are stopped below, together with the requests.
	if err := jobs.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start jobs: %w", err)
	}
	server := newServer(a.Handler(), log)
	server.RegisterOnShutdown(a.EndStreams)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	ready(listener.Addr().String())
	select {
	case err = <-served:
	case <-ctx.Done():
		a.Health.Drain(context.WithoutCancel(ctx))
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	// Both stop at the same time: otherwise a request that takes all of the time would
	// leave none for the jobs, and an export could not be given back.
	stopped := make(chan error, 1)
	go func() { stopped <- jobs.Stop(stopping) }()
	return errors.Join(err, server.Shutdown(stopping), <-stopped)
}

// newServer returns a server that waits for no client for ever.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: readHeaderWithin, ReadTimeout: readWithin, WriteTimeout: writeWithin, IdleTimeout: idleWithin, MaxHeaderBytes: app.MaxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
}

func keysets(s *store.Store) *directory.Keysets { return directory.NewKeysets(s) }
