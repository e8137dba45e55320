package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/graph/playground"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// demoCommand reads no environment variable of the other commands: what is set for a
// production server must not lead the demo to its database.
type demoCommand struct {
	Data            string `help:"Folder of the demo's database and key." default:"${data}" env:"UPLINE_DATA" type:"path"`
	Database        string `help:"postgres://… of an empty database, to run the demo on PostgreSQL; an SQLite file in the data folder by default."`
	Addr            string `help:"Address to listen on, loopback only: the demo's secrets are public." default:"127.0.0.1:8080"`
	Agents          int    `help:"Number of agents of the demo agency, at most 100,000; used only when the agency is created." default:"2000" env:"UPLINE_AGENTS"`
	Seed            uint64 `help:"Seed of the made-up data; the same seed makes the same agency." default:"1" env:"UPLINE_SEED"`
	ExternalIssuers string `help:"File that lists other issuers whose access tokens are accepted; on this machine they may go without https." type:"path"`
	LoadOnly        bool   `help:"Create the agency and stop."`
}

// demoTenants are the tenants of the demo. There are two, to show that they do not see
// each other.
var demoTenants = []struct {
	identifier, name, zone, codePrefix string
	most                               int // agents
}{
	{"demo", "Demo Agency", "America/Chicago", "A", maxDemoAgents},
	{"acme", "Acme Insurance Group", "America/New_York", "B", 200},
}

const maxDemoAgents = 100_000

// Run implements the command.
func (c *demoCommand) Run(ctx context.Context, log *slog.Logger) error {
	if err := loopbackOnly(c.Addr); err != nil {
		return err
	}
	if c.Agents < 1 || c.Agents > maxDemoAgents {
		return problem.Invalid(problem.OutOfRange, "must be from 1 to 100000", "agents")
	}
	var listener net.Listener
	if !c.LoadOnly {
		var err error
		if listener, err = listen(c.Addr); err != nil {
			return err
		}
		defer listener.Close()
	}
	db := database{Database: c.Database, KeyFile: filepath.Join(c.Data, "upline.key")}
	if db.Database == "" {
		db.Database = filepath.Join(c.Data, "upline.db")
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return err
	}
	s, err := store.Open(ctx, db.Database)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.MarkDemo(ctx); err != nil {
		return fmt.Errorf("%s: %w; name another folder with --data, or an empty database", c.where(), err)
	}
	if err := migrate(ctx, s); err != nil {
		return err
	}
	key, err := db.key(ctx, s)
	if err != nil {
		return err
	}
	others, err := externalIssuers(c.ExternalIssuers)
	if err != nil {
		return err
	}
	a, err := app.New(ctx, app.Config{Store: s, Clock: system, Key: key, Issuer: "http://" + c.Addr, TokenAlgorithm: keyring.RS256, ExternalIssuers: others, Log: log, Development: true, Accounts: demoAccounts()})
	if err != nil {
		return err
	}
	if err := c.fill(ctx, a); err != nil || c.LoadOnly {
		return err
	}
	example, err := deepestAgent(ctx, a)
	if err != nil {
		return err
	}
	examples, err := demoExamples(ctx, a, example)
	if err != nil {
		return err
	}
	a.Playground = demoPlayground(examples)
	return run(ctx, a, listener, log, func(addr string) { c.welcome(addr, example) })
}

// fill adds what is missing: tenants, agencies, users, clients.
func (c *demoCommand) fill(ctx context.Context, a *app.App) error {
	for _, d := range demoTenants {
		t, err := a.Tenants.Find(ctx, d.identifier)
		if errors.Is(err, directory.ErrUnknown) {
			t, err = directory.Create(ctx, a.Store, a.Vault, system, directory.NewTenant{Identifier: d.identifier, Name: d.name,
				TimeZone: d.zone, DefaultPageSize: 50, MaxPageSize: 100})
		}
		if err != nil {
			return err
		}
		if err := c.loadAgency(ctx, a, t, d.codePrefix, min(c.Agents, d.most)); err != nil {
			return err
		}
	}
	if err := addDemoRecipes(ctx, a); err != nil {
		return err
	}
	if err := addDemoUsers(ctx, a); err != nil {
		return err
	}
	if err := addDemoClients(ctx, a); err != nil {
		return err
	}
	return addDemoWork(ctx, a)
}

// loadAgency loads an agency into a tenant unless the tenant has one. It loads all of it
// or nothing.
func (c *demoCommand) loadAgency(ctx context.Context, a *app.App, t *tenant.Tenant, prefix string, agents int) error {
	ctx = tenant.With(ctx, t)
	var exists bool
	_, err := store.One(ctx, a.Store, []any{&exists}, "SELECT EXISTS (SELECT 1 FROM agency_agent WHERE tenant_id = $1)", t.ID)
	if err != nil || exists {
		return err
	}
	agency := demo.Options{Agents: agents, Seed: c.Seed, Today: clock.Today(system, t.Zone), CodePrefix: prefix}
	bar := newProgress("agents")
	defer bar.end()
	if err := demo.Load(ctx, a.Store, a.Vault, system, t, agency, func(done, _ int) { bar.show("loading "+t.Identifier, done, agents) }); err != nil {
		return err
	}
	team, err := a.Agency.Team(ctx, directory.DefaultTeam)
	if err != nil {
		return err
	}
	_, err = a.Hierarchy.Rebuild(ctx, team)
	return err
}

// demoClients are the well-known clients. They exist in the demo only.
func demoClients() []identity.NewClient {
	return []identity.NewClient{
		{ID: "demo", Secret: "demo-secret", Scopes: bearer.TenantScopes()},
		{ID: "acme", Secret: "acme-secret", Scopes: bearer.GrantableScopes()},
		{ID: "platform", Secret: "platform-secret", Scopes: bearer.AllScopes()},
		{ID: "demo-desk", Public: true, RedirectURIs: []string{"http://127.0.0.1/callback"}, Scopes: bearer.TenantScopes()},
	}
}

func addDemoClients(ctx context.Context, a *app.App) error {
	clients := app.Operator(a.Store)
	for _, client := range demoClients() {
		// The tenant is the part before a hyphen, if there is one.
		name, _, _ := strings.Cut(client.ID, "-")
		if t, err := a.Tenants.Find(ctx, name); err == nil {
			client.TenantID = &t.ID
		} else if !errors.Is(err, directory.ErrUnknown) {
			return err
		}
		if err := clients.AddClient(ctx, client, system.Now()); err != nil && !problem.Has(err, problem.DuplicateKey) {
			return err
		}
	}
	return nil
}

func demoPlayground(examples []playground.Example) playground.Config {
	return playground.Config{
		Tenants: []string{"demo", "acme"}, Demo: true, Examples: examples,
		Clients: []playground.Client{
			{ClientID: "demo", Secret: "demo-secret", Tenant: "demo"},
			{ClientID: "acme", Secret: "acme-secret", Tenant: "acme"},
		},
	}
}

// deepestAgent returns the code of an agent far down in the demo agency, for
// the examples: one with a long chain of uplines.
func deepestAgent(ctx context.Context, a *app.App) (code string, err error) {
	t, err := a.Tenants.Find(ctx, demoTenants[0].identifier)
	if err != nil {
		return "", err
	}
	_, err = store.One(ctx, a.Store, []any{&code}, `SELECT a.code FROM hierarchy_node n
		JOIN agency_agent a ON a.tenant_id = n.tenant_id AND a.id = n.agent_id
		WHERE n.tenant_id = $1 ORDER BY n.depth DESC, a.id LIMIT 1`, t.ID)
	return code, err
}

// leadingAgent returns the code of an agent of the demo agency who has people on several
// levels below, and at least one above.
func leadingAgent(ctx context.Context, a *app.App) (code string, err error) {
	t, err := a.Tenants.Find(ctx, demoTenants[0].identifier)
	if err != nil {
		return "", err
	}
	_, err = store.One(ctx, a.Store, []any{&code}, `SELECT a.code FROM hierarchy_node n
		JOIN agency_agent a ON a.tenant_id = n.tenant_id AND a.id = n.agent_id
		WHERE n.tenant_id = $1 ORDER BY abs(n.depth - 1), n.downline_count DESC, a.id LIMIT 1`, t.ID)
	return code, err
}

// loopbackOnly refuses an address that the network can reach: the demo's secrets are
// public.
func loopbackOnly(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New("the demo listens on loopback only, such as 127.0.0.1:8080: its secrets are public")
	}
	return nil
}

func (c *demoCommand) welcome(addr, example string) {
	fmt.Printf(`
Upline is running on the demo agency.

  Workbench    http://%[1]s/workbench/
  Playground   http://%[1]s/playground/
  GraphQL      http://%[1]s/graphql/demo
  REST         http://%[1]s/agency-management/demo/agents
  OpenAPI      http://%[1]s/openapi.json
  Reference    http://%[1]s/docs/

  Clients      demo/demo-secret (tenant demo), acme/acme-secret (tenant acme), platform/platform-secret (platform)
               demo-desk (tenant demo), public: people sign in through it
  Users        admin (tenants demo and acme), recruiter, analyst, agent (tenant demo); password %[4]s; http://%[1]s/oauth2/sign-in

Try it:

  TOKEN=$(curl -s -u demo:demo-secret -d grant_type=client_credentials http://%[1]s/oauth2/token | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
  curl -s http://%[1]s/graphql/demo -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
    -d '{"query":"{ agent(agentCode: \"%[2]s\") { displayName uplineChain { depth agent { displayName certifications(first: 3) { nodes { type { code } status } } } } } }"}'

This is %[6]s
Press Ctrl+C to stop. The data stays in %[3]s, the key in %[5]s.
`, addr, example, c.where(), demoPassword, c.Data, thisBuild())
}

// where names the database without the password that a URL may hold.
func (c *demoCommand) where() string {
	if store.IsPostgres(c.Database) {
		return "the PostgreSQL database"
	}
	return cmp.Or(c.Database, c.Data)
}
