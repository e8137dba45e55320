package main

import (
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
		"not public":          {Tenant: "acme", RedirectURI: []string{"https://app.example/"}},
		"of the platform":     {Public: true, RedirectURI: []string{"https://app.example/"}},
		"a scope there isn't": {Tenant: "acme", Public: true, RedirectURI: []string{"https://app.example/"}, Scopes: []string{"x"}},
	} {
		wrong.recorded, wrong.ID, wrong.Scopes = recorded{database: d}, "wrong", append(wrong.Scopes, "read:agents")
		if out, err := printed(t, wrong.Run); err == nil || out != "" {
			t.Errorf("%s: %q %v", name, out, err)
		}
	}
}
