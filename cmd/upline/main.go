// Command upline is the server and its tools: one binary.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	_ "time/tzdata" // time zones of tenants, on machines without a database of them

	"github.com/alecthomas/kong"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/tenants"
	"github.com/uplinehq/upline/internal/vault"
)

// commands are the commands and their flags. Flags of what production runs have a
// variable UPLINE_….
type commands struct {
	Demo    demoCommand       `cmd:"" help:"Start a server with a demo agency: agents with histories, certifications, W9s, bank accounts, aliases and tags, all made up. Needs nothing else."`
	Serve   serveCommand      `cmd:"" help:"Start the server."`
	Migrate migrateCommand    `cmd:"" help:"Bring the database to the version of this binary."`
	Tenant  tenantCommand     `cmd:"" help:"Manage tenants."`
	Client  clientCommand     `cmd:"" help:"Manage API clients and their scopes."`
	User    userCommand       `cmd:"" help:"Manage users, who sign in with a password."`
	Import  importCommand     `cmd:"" help:"Bring in a file of rows: agents, certifications, periods, production, commissions. See docs/import.md."`
	Export  exportCommand     `cmd:"" help:"Write a connection of a query to a file: CSV, a workbook, or lines of JSON."`
	Audit   auditCommand      `cmd:"" help:"Check the audit trail."`
	Rotate  rotateKeysCommand `cmd:"" name:"rotate-keys" help:"Give tenants fresh keys, or wrap their keys by another key-encryption key."`
	Schema  schemaCommand     `cmd:"" help:"Print the GraphQL schema or the OpenAPI document."`

	LogLevel slog.Level `help:"debug, info, warn or error." default:"info" env:"UPLINE_LOG_LEVEL"`
}

func main() {
	var c commands
	ignoreEmptyVariables()
	k := kong.Parse(&c, kong.Name("upline"), kong.Description("The system of record for insurance agencies: GraphQL and REST over one dated graph."),
		kong.UsageOnError(), kong.Vars{"data": demoFolder()})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: c.LogLevel}))
	k.BindTo(ctx, (*context.Context)(nil))
	if err := k.Run(log); err != nil {
		fmt.Fprintln(os.Stderr, "upline:", explain(err))
		os.Exit(1)
	}
}

// ignoreEmptyVariables takes away the variables of flags that are empty: a script that
// hands on what it was not given means none.
func ignoreEmptyVariables() {
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); value == "" && strings.HasPrefix(name, "UPLINE_") {
			_ = os.Unsetenv(name)
		}
	}
}

// explain says a problem in words, all of its fields.
func explain(err error) string {
	problems := problem.From(err)
	if problems == nil {
		return err.Error()
	}
	text := ""
	for i, p := range problems {
		if i > 0 {
			text += "; "
		}
		if len(p.Field) > 0 {
			text += p.Field[len(p.Field)-1] + ": "
		}
		text += p.Message
	}
	return text
}

// database are the flags of everything that opens the database.
type database struct {
	Database string `help:"postgres://… or the path of an SQLite file." required:"" env:"UPLINE_DATABASE"`
	Key      string `help:"Key-encryption key, 32 bytes in base64. Read from the key file when not given." env:"UPLINE_KEY"`
	KeyFile  string `help:"File of the key-encryption key, made when missing; beside an SQLite file by default." env:"UPLINE_KEY_FILE" type:"path"`
}

func (d database) open(ctx context.Context) (*store.Store, error) { return store.Open(ctx, d.Database) }

// key returns the key-encryption key.
func (d database) key() ([]byte, error) {
	if d.Key != "" {
		return vault.ParseKey(d.Key)
	}
	path := d.KeyFile
	if path == "" {
		if store.IsPostgres(d.Database) {
			return nil, errors.New("give --key or --key-file: without the key of the database its sensitive values cannot be read")
		}
		path = d.Database + ".key"
	}
	return vault.LoadOrCreateKeyFile(path)
}

func (d database) vault(s *store.Store) (*vault.Vault, error) {
	key, err := d.key()
	if err != nil {
		return nil, err
	}
	return vault.New(key, keysets(s))
}

// with opens the database and its keys for f.
func (d database) with(ctx context.Context, f func(s *store.Store, v *vault.Vault) error) error {
	s, err := d.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	v, err := d.vault(s)
	if err != nil {
		return err
	}
	return f(s, v)
}

// within is with for what a command does in a tenant.
func (d database) within(ctx context.Context, identifier string, f func(s *store.Store, v *vault.Vault, t *tenant.Tenant) error) error {
	return d.with(ctx, func(s *store.Store, v *vault.Vault) error {
		t, err := tenants.NewDirectory(s, system).Find(ctx, identifier)
		if err != nil {
			return err
		}
		return f(s, v, t)
	})
}

type migrateCommand struct{ database }

// Run implements the command.
func (c *migrateCommand) Run(ctx context.Context) error {
	s, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return migrate(ctx, s)
}

// migrate brings the tables to the version of this binary, and then the tenants.
func migrate(ctx context.Context, s *store.Store) error {
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	return tenants.Complete(ctx, s, system)
}

// demoFolder is where the demo keeps its database.
func demoFolder() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "upline-demo")
}

var system = clock.System{}
