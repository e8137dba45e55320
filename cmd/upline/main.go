// Command upline is the server and its tools: one binary.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	_ "time/tzdata" // time zones of tenants, on machines without a database of them

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/telemetry"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// commands are the commands and their flags. A flag that production needs can also be
// given as a variable UPLINE_….
type commands struct {
	Demo     demoCommand       `cmd:"" help:"Start a server with a made-up demo agency; it needs nothing else."`
	Serve    serveCommand      `cmd:"" help:"Start the server."`
	Health   healthCommand     `cmd:"" help:"Check whether a server is up; the exit code is 0 if it is."`
	Migrate  migrateCommand    `cmd:"" help:"Bring the database to the version of this binary."`
	Tenant   tenantCommand     `cmd:"" help:"Manage tenants."`
	Client   clientCommand     `cmd:"" help:"Manage API clients and their scopes."`
	User     userCommand       `cmd:"" help:"Manage users, who sign in with a password."`
	Provider providerCommand   `cmd:"" help:"Manage the OpenID providers with which people of a tenant sign in."`
	Import   importCommand     `cmd:"" help:"Import a file of rows: agents, certifications, periods, production, commissions, reference data. See docs/import.md."`
	Imports  importsCommand    `cmd:"" help:"List imports, and what they left out."`
	Export   exportCommand     `cmd:"" help:"Export the rows of a GraphQL query to a file: CSV, XLSX or JSON lines."`
	Doctor   doctorCommand     `cmd:"" help:"Find what is wrong in a database, and repair what can be repaired."`
	Backup   backupCommand     `cmd:"" help:"Write a consistent copy of an SQLite database, beside a running server."`
	Restore  restoreCommand    `cmd:"" help:"Check a copy of an SQLite database, and put it where there is none yet."`
	Change   changeCommand     `cmd:"" help:"Take changes of the agency's data back."`
	Audit    auditCommand      `cmd:"" help:"Check the audit trail."`
	Rotate   rotateKeysCommand `cmd:"" name:"rotate-keys" help:"Give tenants new keys, or wrap their keys with another key-encryption key."`
	Schema   schemaCommand     `cmd:"" help:"Print the GraphQL schema or the OpenAPI document."`

	Completion completionCommand `cmd:"" help:"Print the completion script of a shell: bash, zsh or fish."`
	Man        manCommand        `cmd:"" help:"Print the manual page."`
	VersionOf  versionCommand    `cmd:"" name:"version" help:"Print the version, its commit and its date."`

	Version  kong.VersionFlag `help:"Print the version, its commit and its date."`
	LogLevel slog.Level       `help:"Least level of log lines: debug, info, warn or error." default:"info" env:"UPLINE_LOG_LEVEL"`
}

func main() {
	ignoreEmptyVariables()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs a command line and returns the exit code: 0, 1 when the command failed, 2
// when the command line is wrong.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c commands
	k, err := grammar(&c, demoFolder(), kong.Writers(stdout, stderr), kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		panic(err) // the tags of the commands are wrong
	}
	kongcompletion.Register(k)
	parsed, err := k.Parse(args)
	if err != nil {
		fmt.Fprint(stderr, misuse(err))
		return 2
	}
	log, flush := telemetry.NewLog(stderr, c.LogLevel)
	err = parsed.Run(log)
	flush()
	if err != nil {
		fmt.Fprintln(stderr, "upline:", explain(err))
		return 1
	}
	return 0
}

// grammar returns the parser of command lines. demoFolder is where the demo keeps its
// database.
func grammar(c *commands, demoFolder string, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(c, append(options, kong.Name("upline"), kong.Description("The system of record for insurance agencies: GraphQL and REST over one dated graph."),
		kong.Vars{"data": demoFolder, "version": thisBuild().String()})...)
}

// ignoreEmptyVariables removes variables of flags that are empty, so that they count as
// not set: scripts pass them on that way.
func ignoreEmptyVariables() {
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); value == "" && strings.HasPrefix(name, "UPLINE_") {
			_ = os.Unsetenv(name)
		}
	}
}

// explain puts a problem into words, with all of its fields.
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
		if name := lastName(p.Field); name != "" {
			text += name + ": "
		}
		text += p.Message
	}
	return text
}

// lastName returns the last name of a path: a number is a place in a list, and says
// nothing by itself.
func lastName(path []string) string {
	for _, name := range slices.Backward(path) {
		if _, err := strconv.Atoi(name); err != nil {
			return name
		}
	}
	return ""
}

// database are the flags of every command that opens the database.
type database struct {
	Database string `help:"postgres://… or the path of an SQLite file." required:"" env:"UPLINE_DATABASE"`
	Key      string `help:"Key-encryption key, 32 bytes in base64; read from the key file by default." env:"UPLINE_KEY"`
	KeyFile  string `help:"File of the key-encryption key, created if it is missing and the database has no keys yet; by default beside an SQLite file." env:"UPLINE_KEY_FILE" type:"path"`
}

// open opens an existing database, so that a mistyped path does not make a file.
func (d database) open(ctx context.Context) (*store.Store, error) {
	return store.OpenWith(ctx, d.Database, store.Options{MustExist: true})
}

// key returns the key-encryption key. It makes a key file only for a database without
// keys: a new key could not open the keys that a database has.
func (d database) key(ctx context.Context, s *store.Store) ([]byte, error) {
	if d.Key != "" {
		return vault.ParseKey(d.Key)
	}
	path := d.keyFile()
	if path == "" {
		return nil, errors.New("give --key or --key-file: sensitive values cannot be read without the key of the database")
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		switch _, _, err := keysets(s).Any(ctx); {
		case err == nil:
			return nil, fmt.Errorf("the key file %s is not there, and the database has sensitive values: put it back, or name it by --key-file", path)
		case !errors.Is(err, vault.ErrNoKeyset):
			return nil, err
		}
	}
	return vault.LoadOrCreateKeyFile(path)
}

// keyFile is the path of the key file; empty for a PostgreSQL database without one.
func (d database) keyFile() string {
	if d.KeyFile != "" || store.IsPostgres(d.Database) {
		return d.KeyFile
	}
	return store.SQLitePath(d.Database) + ".key"
}

func (d database) vault(ctx context.Context, s *store.Store) (*vault.Vault, error) {
	key, err := d.key(ctx, s)
	if err != nil {
		return nil, err
	}
	return vault.New(key, keysets(s))
}

// reading is within for commands that list what is not encrypted, and so need no key.
func (d database) reading(ctx context.Context, identifier string, f func(s *store.Store, t *tenant.Tenant) error) error {
	s, err := d.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	t, err := directory.New(s, system).Find(ctx, identifier)
	if err != nil {
		return err
	}
	return f(s, t)
}

// with opens the database and its keys and calls f.
func (d database) with(ctx context.Context, f func(s *store.Store, v *vault.Vault) error) error {
	s, err := d.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	v, err := d.vault(ctx, s)
	if err != nil {
		return err
	}
	return f(s, v)
}

// within is with for commands that work in a tenant.
func (d database) within(ctx context.Context, identifier string, f func(s *store.Store, v *vault.Vault, t *tenant.Tenant) error) error {
	return d.with(ctx, func(s *store.Store, v *vault.Vault) error {
		t, err := directory.New(s, system).Find(ctx, identifier)
		if err != nil {
			return err
		}
		return f(s, v, t)
	})
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
