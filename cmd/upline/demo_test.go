package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/store"
)

var quiet = slog.New(slog.DiscardHandler)

// The demo and what production runs share no variable but that of the log: one that
// is set for a server would lead the demo to its database, or its port.
func TestDemoTakesNoProductionVariable(t *testing.T) {
	k, variables := variablesOf(t)
	for _, command := range k.Model.Children {
		if command.Name != "demo" {
			continue
		}
		for _, flag := range command.Flags {
			for _, name := range flag.Envs {
				if other := variables[name]; other != "" {
					t.Errorf("--%s of the demo takes %s, as %s does", flag.Name, name, other)
				}
			}
		}
		return
	}
	t.Error("there is no demo")
}

// variablesOf returns the commands, and by the name of a variable the command that takes
// it, the demo aside.
func variablesOf(t *testing.T) (*kong.Kong, map[string]string) {
	t.Helper()
	k, err := kong.New(&commands{}, kong.Vars{"data": t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{}
	for _, command := range k.Model.Leaves(false) {
		if command.Name == "demo" {
			continue
		}
		for _, flag := range command.Flags {
			for _, name := range flag.Envs {
				variables[name] = command.FullPath()
			}
		}
	}
	if variables["UPLINE_DATABASE"] == "" {
		t.Fatal("no command takes UPLINE_DATABASE")
	}
	return k, variables
}

// What the packages set, a command takes.
func TestPackagesSetWhatIsTaken(t *testing.T) {
	_, variables := variablesOf(t)
	files, err := filepath.Glob("../../deploy/helm/upline/templates/*")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	files = append(files, "../../deploy/helm/upline/values.yaml", "../../deploy/helm/testdata/everything.yaml", "../../deploy/systemd/upline.service", "../../Dockerfile", "../../compose.yaml")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\bUPLINE_[A-Z_]+`).FindAllString(string(text), -1) {
			if variables[name] == "" && name != "UPLINE_IMAGE" { // which docker compose reads
				t.Errorf("%s sets %s, which no command takes", file, name)
			}
		}
	}
}

func loadDemo(ctx context.Context, folder, database string) error {
	c := demoCommand{Data: folder, Database: database, Addr: "127.0.0.1:0", Agents: 3, Seed: 1, LoadOnly: true}
	return c.Run(ctx, quiet)
}

// The demo refuses a database that it did not make, and changes nothing there: not
// even a migration that is due.
func TestDemoLeavesOtherDatabases(t *testing.T) {
	d, s := twoTenants(t)
	newest := func() (id int64) {
		if _, err := store.One(t.Context(), s, []any{&id}, "SELECT max(version_id) FROM goose_db_version"); err != nil {
			t.Fatal(err)
		}
		return id
	}
	err := s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM goose_db_version WHERE version_id = $1", newest())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	before := newest()
	folder := filepath.Dir(d.Database) // where the demo looks by itself: the file has its name
	for _, database := range []string{"", d.Database} {
		if err := loadDemo(t.Context(), folder, database); !errors.Is(err, store.ErrNotDemo) {
			t.Errorf("with --database %q: %v", database, err)
		}
	}
	if got := newest(); got != before {
		t.Errorf("the database was migrated from %d to %d", before, got)
	}
	if all, err := chooseTenants(t.Context(), s, ""); err != nil || len(all) != 2 {
		t.Errorf("it has %d tenants now (%v)", len(all), err)
	}
}

// A server is not started by mistake on what everybody knows the secrets of.
func TestServeRefusesTheDemo(t *testing.T) {
	folder := t.TempDir()
	if err := loadDemo(t.Context(), folder, ""); err != nil {
		t.Fatal(err)
	}
	if err := loadDemo(t.Context(), folder, ""); err != nil {
		t.Errorf("the demo's own database, again: %v", err)
	}
	s, err := store.Open(t.Context(), filepath.Join(folder, "upline.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	refused(t, s, "is the demo's")

	d, s := twoTenants(t)
	refused(t, s, "")
	client := identity.NewClient{ID: "demo", Secret: oauth.NewSecret(), Scopes: []string{"read:agents"}}
	clients := app.Operator(s)
	if err := clients.AddClient(t.Context(), client, system.Now()); err != nil {
		t.Fatal(err)
	}
	refused(t, s, "") // of the name, with a secret of its own
	if err := addDemoSecret(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	refused(t, s, "client platform")
	mustPrint(t, (&clientDisableCommand{recorded: recorded{database: d}, ID: "platform"}).Run, "")
	refused(t, s, "")
}

// addDemoSecret adds a client as an earlier demo did to databases of others.
func addDemoSecret(ctx context.Context, s *store.Store) error {
	client := identity.NewClient{ID: "platform", Secret: "platform-secret", Scopes: []string{"read:agents"}}
	return app.Operator(s).AddClient(ctx, client, system.Now())
}

// refused expects serve to refuse a database for a reason, unless it is told to
// serve it; to serve it when there is no reason.
func refused(t *testing.T, s *store.Store, reason string) {
	t.Helper()
	err := (&serveCommand{}).prepare(t.Context(), s)
	if reason == "" && err != nil || reason != "" && (err == nil || !strings.Contains(err.Error(), reason)) {
		t.Errorf("serve: %v; want a refusal for %q", err, reason)
	}
	if err := (&serveCommand{AllowDemo: true}).prepare(t.Context(), s); err != nil {
		t.Errorf("serve --allow-demo: %v", err)
	}
}
