package identity_test

import (
	"strings"
	"testing"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
)

// "email: must not belong to another user" (User): nor may one that people would
// take for it, in other letters or with some that nobody sees. So it is with the
// names of roles.
func TestNamesThatLookAlike(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.user(t, identity.UserInput{Username: "ana", Email: patch.Set("stra\u00dfe@acme.example")})
		if _, err := w.CreateRole(w.ctx, identity.RoleInput{Name: "Payroll", Scopes: patch.Set([]string{"read:agents"})}); err != nil {
			t.Fatal(err)
		}
		for email, want := range map[string]problem.Code{
			"STRASSE@acme.example": problem.DuplicateKey, "\uff53trasse@acme.example": problem.DuplicateKey,
			"strasse\u200b@acme.example": problem.InvalidFormat, "str\u00a0asse@acme.example": problem.InvalidFormat, "strasse2@acme.example": "",
		} {
			_, err := w.CreateUser(w.ctx, identity.UserInput{Username: "ben", Email: patch.Set(email)})
			if want == "" && err != nil || want != "" && !problem.Has(err, want) {
				t.Errorf("%q: %v; want %s", email, err, want)
			}
		}
		for name, want := range map[string]problem.Code{"PAYROLL": problem.DuplicateKey, "Payroll": problem.DuplicateKey, "\uff30ayroll": problem.DuplicateKey,
			"administrator": problem.DuplicateKey, "Pay\u200droll": problem.InvalidFormat, "..": problem.InvalidFormat} {
			if _, err := w.CreateRole(w.ctx, identity.RoleInput{Name: name, Scopes: patch.Set([]string{"read:agents"})}); !problem.Has(err, want) {
				t.Errorf("%q: %v; want %s", name, err, want)
			}
		}
		if u, err := w.User(w.ctx, "\uff21NA"); err != nil || u == nil {
			t.Errorf("%v %v", u, err)
		}
	})
}

// A username is no id of a client that may act in the tenant, and no such client
// gets one: both are the subject of a token (RFC 9068, 5).
func TestUsersAreNoClients(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		rows, acme, umbra := app.Operator(w.Store), w.World.Tenants[apptest.Acme].ID, w.World.Tenants[apptest.Umbra].ID
		add := func(id string, of *int64) error {
			return rows.AddClient(t.Context(), identity.NewClient{ID: id, TenantID: of, Secret: "s", Scopes: []string{"read:agents"}}, w.Clock.Now())
		}
		for id, of := range map[string]*int64{"Ours": &acme, "platform-client": nil, "theirs": &umbra} {
			if err := add(id, of); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "crm", Scopes: patch.Set([]string{"read:agents"})}); err != nil {
			t.Fatal(err)
		}
		for name, refused := range map[string]bool{"ours": true, "Platform-Client": true, "acme.CRM": true, "theirs": false, "acme.erp": false} {
			_, err := w.CreateUser(w.ctx, identity.UserInput{Username: name})
			if problem.Has(err, problem.DuplicateKey) != refused || err != nil && !refused {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, _, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "erp", Scopes: patch.Set([]string{"read:agents"})}); !problem.Has(err, problem.DuplicateKey) {
			t.Errorf("a client with the name of a user: %v", err)
		}
		w.user(t, identity.UserInput{Username: "ana"})
		if err := add("ANA", &acme); !problem.Has(err, problem.DuplicateKey) {
			t.Errorf("at the command line: %v", err)
		}
		if err := add("ANa", nil); !problem.Has(err, problem.DuplicateKey) {
			t.Errorf("a client of the platform: %v", err)
		}
		if err := add("Ana", &umbra); err != nil {
			t.Errorf("a client of another tenant: %v", err)
		}
	})
}

// All that is wrong with a user is told at once, the password and what only the
// database knows among it; and before a hash is made of the password.
func TestProblemsOfAUserTogether(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		wrong := identity.UserInput{Username: "ana", Password: patch.Set(vault.Secret("my-ana-2026")), Roles: patch.Set([]string{"Agent", "Nobody"}), AgentCode: patch.Set("A404")}
		_, created := w.CreateUser(w.ctx, wrong)
		w.user(t, identity.UserInput{Username: "ana"})
		_, _, updated := w.UpdateUser(w.ctx, "ana", wrong)
		for what, err := range map[string]error{"created": created, "updated": updated} {
			var fields []string
			for _, p := range problem.From(err) {
				fields = append(fields, strings.Join(p.Field, "."))
			}
			if strings.Join(fields, " ") != "password agentCode roles.1" {
				t.Errorf("%s: %v", what, fields)
			}
		}
		if _, _, err := w.UpdateUser(w.ctx, "nobody", identity.UserInput{Password: patch.Set(good)}); !problem.Has(err, problem.NotFoundCode) {
			t.Error(err)
		}
	})
}
