package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// "user" makes, approves and lists users. A password comes from the standard input
// or is made up, and is printed only then.
func TestUserCommands(t *testing.T) {
	d, _ := twoTenants(t)
	of := ofTenant{database: d, Tenant: "acme"}
	create := userCreateCommand{ofTenant: of, password: password{Generate: true}, Username: "ana", Roles: []string{"Recruiter"}, Pending: true}
	out, err := printed(t, create.Run)
	if err != nil || !strings.HasPrefix(out, "user ana\npassword ") {
		t.Fatalf("%q %v", out, err)
	}
	list := userListCommand{of}
	mustPrint(t, list.Run, "PENDING")
	mustPrint(t, (&userApproveCommand{ofTenant: of, Username: "ana"}).Run, "")
	mustPrint(t, list.Run, "APPROVED")
	for typed, want := range map[string]string{"Tulip-bucket-91\n": "", "": "standard input", "\n": "standard input", "short\n": "8"} {
		file := filepath.Join(t.TempDir(), "password")
		if err := os.WriteFile(file, []byte(typed), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		terminal := os.Stdin
		os.Stdin = in
		out, err := printed(t, (&userPasswordCommand{ofTenant: of, Username: "ana"}).Run)
		os.Stdin = terminal
		in.Close()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(explain(err), want) || out != "" {
			t.Errorf("%q: printed %q, %v", typed, out, err)
		}
	}
}

// A list needs no key.
func TestListsNeedNoKey(t *testing.T) {
	d, _ := twoTenants(t)
	if _, err := printed(t, (&clientCreateCommand{recorded: recorded{database: d}, ID: "crm", Tenant: "acme", Scopes: []string{"read:agents"}}).Run); err != nil {
		t.Fatal(err)
	}
	if _, err := printed(t, (&clientKeyCreateCommand{ofTenant: ofTenant{database: d, Tenant: "acme"}, Client: "crm", Name: "nightly", Scopes: []string{"read:agents"}}).Run); err != nil {
		t.Fatal(err)
	}
	if _, err := printed(t, (&userCreateCommand{ofTenant: ofTenant{database: d, Tenant: "acme"}, password: password{Generate: true}, Username: "ana"}).Run); err != nil {
		t.Fatal(err)
	}
	d.Key, d.KeyFile = "", filepath.Join(t.TempDir(), "none", "key") // which cannot be made
	of := ofTenant{database: d, Tenant: "acme"}
	mustPrint(t, (&clientListCommand{d}).Run, "crm")
	mustPrint(t, (&clientKeyListCommand{ofTenant: of, Client: "crm"}).Run, "nightly")
	mustPrint(t, (&userListCommand{of}).Run, "ana")
}

// A scope or a role that does not exist is named, with the nearest one.
func TestUnknownNamesAreNamed(t *testing.T) {
	d, _ := twoTenants(t)
	for want, run := range map[string]func(context.Context) error{
		"--scopes: there is no scope \"raed:agents\"; the nearest is read:agents": (&clientCreateCommand{recorded: recorded{database: d}, ID: "crm", Tenant: "acme", Scopes: []string{"write:agents", "raed:agents"}}).Run,
		"--scopes: there is no scope \"read:agent\"; the nearest is read:agents":  (&clientKeyCreateCommand{ofTenant: ofTenant{database: d, Tenant: "acme"}, Client: "crm", Name: "n", Scopes: []string{"read:agent"}}).Run,
		"--roles: there is no role \"Recruter\"; the nearest is Recruiter":        (&userCreateCommand{ofTenant: ofTenant{database: d, Tenant: "acme"}, password: password{Generate: true}, Username: "ben", Roles: []string{"Agent", "Recruter"}}).Run,
	} {
		if _, err := printed(t, run); err == nil || !strings.HasPrefix(explain(err), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

// The demo finds its port in use before it makes anything.
func TestDemoFindsItsPortInUse(t *testing.T) {
	taken := loopback(t)
	defer taken.Close()
	data := filepath.Join(t.TempDir(), "demo")
	err := (&demoCommand{Data: data, Addr: taken.Addr().String(), Agents: 10}).Run(t.Context(), slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "--addr") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("it made its folder")
	}
}

// "client create --public" prints no secret, and refuses what is no redirect URI.
func TestPublicClientCommand(t *testing.T) {
	d, _ := twoTenants(t)
	create := clientCreateCommand{recorded: recorded{database: d}, ID: "desk", Tenant: "acme", Scopes: []string{"read:agents"}, Public: true, RedirectURI: []string{"http://127.0.0.1/callback"}}
	out, err := printed(t, create.Run)
	if err != nil || out != "client desk\n" {
		t.Errorf("%q %v", out, err)
	}
	for name, wrong := range map[string]clientCreateCommand{
		"no URI":              {Tenant: "acme", Public: true},
		"http":                {Tenant: "acme", Public: true, RedirectURI: []string{"http://app.example/"}},
		"keys of it":          {Tenant: "acme", Public: true, RedirectURI: []string{"https://app.example/"}, PublicKeys: []byte(`{"keys": []}`)},
		"no keys":             {Tenant: "acme", PublicKeys: []byte("{}")},
		"of the platform":     {Public: true, RedirectURI: []string{"https://app.example/"}},
		"a scope there isn't": {Tenant: "acme", Public: true, RedirectURI: []string{"https://app.example/"}, Scopes: []string{"x"}},
	} {
		wrong.recorded, wrong.ID, wrong.Scopes = recorded{database: d}, "wrong", append(wrong.Scopes, "read:agents")
		if out, err := printed(t, wrong.Run); err == nil || out != "" {
			t.Errorf("%s: %q %v", name, out, err)
		}
	}
}
