package identity_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/problem"
)

// Whoever has write:clients hands out no scope that it does not hold itself:
// neither to a client, nor to a key, nor by asking for another's secret.
func TestClientsGetNoScopeTheirMakerLacks(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		client, secret, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "crm", Scopes: patch.Set([]string{"read:agents", "write:agents"})})
		if err != nil || client.ClientID != "acme.crm" || len(secret.Reveal()) != 43 {
			t.Fatalf("%+v %v", client, err)
		}
		weak := w.World.Context(t, apptest.Acme, "write:clients", "read:agents")
		_, _, create := w.CreateClient(weak, identity.ClientInput{Name: "x", Scopes: patch.Set([]string{"read:agents", "write:agents"})})
		_, _, update := w.UpdateClient(weak, "acme.crm", identity.ClientInput{Scopes: patch.Set([]string{"read:agents", "delete:agents"})})
		_, _, rotate := w.RotateClientSecret(weak, "acme.crm", false)
		_, _, key := w.CreateAPIKey(weak, "acme.crm", identity.APIKeyInput{Name: "k", Scopes: []string{"write:agents"}})
		for what, err := range map[string]error{"create": create, "update": update, "rotate": rotate, "key": key} {
			if p := problem.From(err); len(p) != 1 || p[0].Category != problem.Forbidden {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, changed, err := w.UpdateClient(weak, "acme.crm", identity.ClientInput{Scopes: patch.Set([]string{"read:agents"})}); err != nil || !changed {
			t.Errorf("taking a scope away: %v", err)
		}
		if _, _, err := w.CreateAPIKey(w.ctx, "acme.crm", identity.APIKeyInput{Name: "k", Scopes: []string{"write:agents"}}); !problem.Has(err, problem.UnknownScope) {
			t.Errorf("a key with a scope that the client lacks: %v", err)
		}
		for _, id := range []string{"acme.none", "crm"} {
			if _, _, err := w.RotateClientSecret(w.ctx, id, false); !problem.Has(err, problem.NotFoundCode) {
				t.Errorf("%s: %v", id, err)
			}
		}
		other := w.World.Context(t, apptest.Umbra, bearer.TenantScopes()...)
		if err := w.DeleteClient(other, "acme.crm"); !problem.Has(err, problem.NotFoundCode) {
			t.Errorf("another tenant deletes it: %v", err)
		}
	})
}

// Whoever has write:roles puts no scope into a role that it does not hold itself,
// neither a new one nor one that people hold already; scopes that are there may
// stay. The refusal names the scope by the place at which it was sent.
func TestRolesGetNoScopeTheirMakerLacks(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		if _, err := w.CreateRole(w.ctx, identity.RoleInput{Name: "Clerk", Scopes: patch.Set([]string{"read:agents", "delete:agents"})}); err != nil {
			t.Fatal(err)
		}
		weak := w.World.Context(t, apptest.Acme, "write:roles", "read:agents")
		_, create := w.CreateRole(weak, identity.RoleInput{Name: "X", Scopes: patch.Set([]string{"write:users", "read:agents"})})
		_, _, update := w.UpdateRole(weak, "Clerk", identity.RoleInput{Scopes: patch.Set([]string{"write:users", "delete:agents", "read:agents"})})
		for what, err := range map[string]error{"create": create, "update": update} {
			if p := problem.From(err); len(p) != 1 || p[0].Category != problem.Forbidden || strings.Join(p[0].Field, ".") != "scopes.0" {
				t.Errorf("%s: %+v", what, p)
			}
		}
		r, changed, err := w.UpdateRole(weak, "Clerk", identity.RoleInput{Description: patch.Set("d"), Scopes: patch.Set([]string{"delete:agents", "read:agents"})})
		if err != nil || !changed || len(r.Scopes) != 2 {
			t.Errorf("what it has may stay: %+v %v", r, err)
		}
	})
}

// "The recipe write scope is normally granted only to platform staff and trusted
// partners" (Business Insights): a tenant gives it to nothing, whoever asks.
func TestTenantsDoNotGiveOutWhatReachesBeyondThem(t *testing.T) {
	const recipes = "business-insights:report-recipes:write"
	onEach(t, func(t *testing.T, w *world) {
		if slices.Contains(bearer.GrantableScopes(), recipes) || !slices.Contains(bearer.TenantScopes(), recipes) {
			t.Fatal("the scope is grantable, or unknown")
		}
		_, role := w.CreateRole(w.ctx, identity.RoleInput{Name: "R", Scopes: patch.Set([]string{recipes})})
		_, _, client := w.CreateClient(w.ctx, identity.ClientInput{Name: "c", Scopes: patch.Set([]string{recipes})})
		for what, err := range map[string]error{"role": role, "client": client} {
			if !problem.Has(err, problem.UnknownScope) {
				t.Errorf("%s: %v", what, err)
			}
		}
		// A client that the operator gave it keeps it, whatever else changes.
		acme := w.World.Tenants[apptest.Acme].ID
		partner := identity.NewClient{ID: "partner", TenantID: &acme, Secret: "s", Scopes: []string{recipes, "read:agents", recipes}}
		if err := app.Operator(w.Store).AddClient(t.Context(), partner, w.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		c, changed, err := w.UpdateClient(w.ctx, "partner", identity.ClientInput{Description: patch.Set("d"), Scopes: patch.Set([]string{recipes, "read:agents"})})
		if err != nil || !changed || strings.Join(c.Scopes, " ") != "read:agents "+recipes {
			t.Errorf("%+v %v", c, err)
		}
		if _, changed, err := w.UpdateClient(w.ctx, "partner", identity.ClientInput{Scopes: patch.Set([]string{recipes, "read:agents"})}); err != nil || changed {
			t.Errorf("the same set in another order is a change: %v", err)
		}
		if _, _, err := w.CreateAPIKey(w.ctx, "partner", identity.APIKeyInput{Name: "k", Scopes: []string{recipes}}); !problem.Has(err, problem.UnknownScope) {
			t.Errorf("a key: %v", err)
		}
	})
}

// A client that was stopped, perhaps because its secret leaked, is revived only by
// who could do all that it can.
func TestStrongerClientsAreNotRevived(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		soon, later := w.Clock.Now().Add(time.Hour), w.Clock.Now().Add(2*time.Hour)
		in := identity.ClientInput{Name: "crm", Scopes: patch.Set([]string{"read:agents", "write:agents"}), ExpiresAt: patch.Set(soon)}
		if _, _, err := w.CreateClient(w.ctx, in); err != nil {
			t.Fatal(err)
		}
		weak := w.World.Context(t, apptest.Acme, "write:clients", "read:agents")
		if _, _, err := w.UpdateClient(weak, "acme.crm", identity.ClientInput{IsDisabled: patch.Set(true), Description: patch.Set("leaked")}); err != nil {
			t.Fatalf("anybody may stop it: %v", err)
		}
		for what, change := range map[string]identity.ClientInput{
			"enabled": {IsDisabled: patch.Set(false)}, "for longer": {ExpiresAt: patch.Set(later)}, "for ever": {ExpiresAt: patch.Null[time.Time]()},
		} {
			_, _, err := w.UpdateClient(weak, "acme.crm", change)
			if p := problem.From(err); len(p) != 1 || p[0].Category != problem.Forbidden || p[0].Field != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if c, err := w.Client(w.ctx, "acme.crm"); err != nil || !c.IsDisabled || !c.ExpiresAt.Equal(soon) {
			t.Errorf("%+v %v", c, err)
		}
		if _, _, err := w.UpdateClient(weak, "acme.crm", identity.ClientInput{IsDisabled: patch.Set(false), Scopes: patch.Set([]string{"read:agents"})}); err != nil {
			t.Errorf("with no more than the caller has: %v", err)
		}
	})
}

// Where people are sent back to, with a code for all that the client may do, is changed
// only by who may do that.
func TestStrongerClientsAreNotRedirected(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		uris := []string{"https://desk.example/callback"}
		if _, _, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "desk", IsPublic: true, Scopes: patch.Set([]string{"read:agents", "write:agents"}), RedirectURIs: patch.Set(uris)}); err != nil {
			t.Fatal(err)
		}
		weak := w.World.Context(t, apptest.Acme, "write:clients", "read:agents")
		_, _, err := w.UpdateClient(weak, "acme.desk", identity.ClientInput{RedirectURIs: patch.Set([]string{"https://elsewhere.example/callback"})})
		if p := problem.From(err); len(p) != 1 || p[0].Category != problem.Forbidden {
			t.Errorf("%v", err)
		}
		if c, err := w.Client(w.ctx, "acme.desk"); err != nil || !slices.Equal(c.RedirectURIs, uris) {
			t.Errorf("%+v %v", c, err)
		}
		if _, _, err := w.UpdateClient(weak, "acme.desk", identity.ClientInput{RedirectURIs: patch.Set(uris), Description: patch.Set("the same")}); err != nil {
			t.Errorf("with the addresses that it has: %v", err)
		}
	})
}

// Problems of scopes name the place at which they were sent, and there is a limit
// to how many.
func TestProblemsOfScopesNameTheirPlace(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		if _, _, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "crm", Scopes: patch.Set([]string{"read:agents"})}); err != nil {
			t.Fatal(err)
		}
		weak := w.World.Context(t, apptest.Acme, "write:clients", "read:agents")
		_, _, create := w.CreateClient(weak, identity.ClientInput{Name: "x", Scopes: patch.Set([]string{"write:users", "read:agents", "delete:agents"})})
		_, _, key := w.CreateAPIKey(w.ctx, "acme.crm", identity.APIKeyInput{Name: "k", Scopes: []string{"read:agents", "write:agents"}})
		for what, test := range map[string]struct {
			err  error
			want []string
		}{"client": {create, []string{"scopes.0", "scopes.2"}}, "key": {key, []string{"scopes.1"}}} {
			var places []string
			for _, p := range problem.From(test.err) {
				places = append(places, strings.Join(p.Field, "."))
			}
			if !slices.Equal(places, test.want) {
				t.Errorf("%s: %v; want %v", what, places, test.want)
			}
		}
		many := slices.Repeat([]string{"read:agents"}, 101)
		if _, err := w.CreateRole(w.ctx, identity.RoleInput{Name: "Many", Scopes: patch.Set(many)}); !problem.Has(err, problem.OutOfRange) {
			t.Errorf("101 scopes: %v", err)
		}
	})
}

// The audit trail names what was sent, and nothing else.
func TestAuditNamesWhatWasSent(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		fields := func() (text string) {
			t.Helper()
			if err := w.Audit.Link(w.ctx); err != nil {
				t.Fatal(err)
			}
			if _, err := storeOne(w, &text, "SELECT changes FROM audit_entry WHERE tenant_id = $1 ORDER BY seq DESC LIMIT 1", w.World.Tenants[apptest.Acme].ID); err != nil {
				t.Fatal(err)
			}
			return text
		}
		if _, err := w.CreateRole(w.ctx, identity.RoleInput{Name: "Clerk", Scopes: patch.Set([]string{"read:agents"})}); err != nil || strings.Contains(fields(), "description") {
			t.Errorf("role: %s %v", fields(), err)
		}
		if _, _, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "crm", Scopes: patch.Set([]string{"read:agents"})}); err != nil ||
			strings.Contains(fields(), "description") || strings.Contains(fields(), "expiresAt") || !strings.Contains(fields(), "secret") {
			t.Errorf("client: %s %v", fields(), err)
		}
		if _, _, err := w.CreateAPIKey(w.ctx, "acme.crm", identity.APIKeyInput{Name: "k", Scopes: []string{"read:agents"}}); err != nil || strings.Contains(fields(), "expiresAt") {
			t.Errorf("key: %s %v", fields(), err)
		}
	})
}
