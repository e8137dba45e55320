package identity_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

// world is a server with the identities of acme.
type world struct {
	*apptest.World
	*identity.Service
	ctx context.Context
}

func onEach(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{})
		ctx := audit.WithOrigin(w.Context(t, apptest.Acme, bearer.TenantScopes()...), audit.Origin{Operation: "userCreate", Surface: audit.REST})
		f(t, &world{w, w.Identity, ctx})
	})
}

const good = vault.Secret("Tulip-bucket-91")

func (w *world) user(t *testing.T, in identity.UserInput) *identity.User {
	t.Helper()
	user, err := w.CreateUser(w.ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	return user
}

func (w *world) count(t *testing.T, table string) (n int) {
	t.Helper()
	if err := w.Audit.Link(w.ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := store.One(w.ctx, w.Store, []any{&n}, "SELECT count(*) FROM "+table+" WHERE tenant_id = $1", w.World.Tenants[apptest.Acme].ID); err != nil {
		t.Fatal(err)
	}
	return n
}

func storeOne(w *world, to any, query string, args ...any) (bool, error) {
	return store.One(w.ctx, w.Store, []any{to}, query, args...)
}

// "username: … unique in the tenant; email: must not belong to another user"
// (User), whatever the case of letters, also when many ask at once: one gets it,
// the others a conflict, and nothing of theirs is left.
func TestUniqueUnderRaces(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		for _, race := range []struct {
			field string
			input func(i int) identity.UserInput
		}{
			{"username", func(i int) identity.UserInput {
				return identity.UserInput{Username: []string{"ana", "ANA", "Ana"}[i%3], Roles: patch.Set([]string{"Agent"})}
			}},
			{"email", func(i int) identity.UserInput {
				return identity.UserInput{Username: "user" + string(rune('a'+i)), Email: patch.Set([]string{"x@acme.example", "X@ACME.example"}[i%2])}
			}},
		} {
			users, entries := w.count(t, "identity_user"), w.count(t, "audit_entry")
			errs := make([]error, 8)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() { _, errs[i] = w.CreateUser(w.ctx, race.input(i)) })
			}
			all.Wait()
			made := 0
			for _, err := range errs {
				p := problem.From(err)
				switch {
				case err == nil:
					made++
				case len(p) != 1 || p[0].Category != problem.Conflict || p[0].Code != problem.DuplicateKey || p[0].Field[0] != race.field:
					t.Errorf("%s: %v", race.field, err)
				}
			}
			if made != 1 || w.count(t, "identity_user") != users+1 || w.count(t, "audit_entry") != entries+1 {
				t.Errorf("%s: %d made it, %d rows", race.field, made, w.count(t, "identity_user")-users)
			}
		}
		// Another tenant may have the same.
		if _, err := w.CreateUser(w.World.Context(t, apptest.Umbra), identity.UserInput{Username: "ana", Email: patch.Set("x@acme.example")}); err != nil {
			t.Error(err)
		}
	})
}

// Two updates to one address, at once: one has it.
func TestEmailRaceOfUpdates(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		for _, name := range []string{"one", "two"} {
			w.user(t, identity.UserInput{Username: name})
		}
		errs := make([]error, 2)
		var both sync.WaitGroup
		for i, name := range []string{"one", "two"} {
			both.Go(func() {
				_, _, errs[i] = w.UpdateUser(w.ctx, name, identity.UserInput{Email: patch.Set("same@acme.example")})
			})
		}
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || !problem.Has(errors.Join(errs...), problem.DuplicateKey) {
			t.Errorf("%v, %v", errs[0], errs[1])
		}
	})
}

// "the tenant default applies when omitted" (User): Pending, unless the tenant
// says otherwise; the least length of a password is a setting, too.
func TestTenantSettings(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		if u := w.user(t, identity.UserInput{Username: "first", Password: patch.Set(good)}); u.Status != identity.Pending {
			t.Errorf("by default %s", u.Status)
		}
		if _, err := directory.Update(t.Context(), w.Store, w.Clock, apptest.Acme, directory.Settings{DefaultUserStatus: patch.Set(identity.Approved), MinPasswordLength: patch.Set(15)}); err != nil {
			t.Fatal(err)
		}
		w.Clock.Move(time.Minute)
		acme, err := w.World.App.Tenants.Find(t.Context(), apptest.Acme)
		if err != nil {
			t.Fatal(err)
		}
		w.World.Tenants[apptest.Acme] = acme
		w.ctx = w.World.Context(t, apptest.Acme)
		if u := w.user(t, identity.UserInput{Username: "second"}); u.Status != identity.Approved {
			t.Errorf("after the change %s", u.Status)
		}
		if _, err := w.CreateUser(w.ctx, identity.UserInput{Username: "third", Password: patch.Set(vault.Secret("Tulip-bucket"))}); !problem.Has(err, problem.WeakPassword) {
			t.Errorf("12 characters where 15 are the least: %v", err)
		}
		for _, wrong := range []directory.Settings{{DefaultUserStatus: patch.Set("ASLEEP")}, {MinPasswordLength: patch.Set(7)}, {MinPasswordLength: patch.Set(65)}} {
			if _, err := directory.Update(t.Context(), w.Store, w.Clock, apptest.Acme, wrong); problem.From(err) == nil {
				t.Errorf("%+v is accepted: %v", wrong, err)
			}
		}
	})
}

// Every tenant begins with six roles that say what they are and hold scopes that
// exist; nobody can change or delete them.
func TestStarterRoles(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		list, err := w.Roles(w.ctx)
		if err != nil {
			t.Fatal(err)
		}
		all, err := list.Page(w.ctx, page.Args{})
		if err != nil || len(all.Items) != 6 {
			t.Fatalf("%d roles, %v", len(all.Items), err)
		}
		known := strings.Join(bearer.TenantScopes(), " ") + " "
		for _, r := range all.Items {
			if !r.IsSystem || *r.Description == "" || len(r.Scopes) == 0 {
				t.Errorf("%+v", r)
			}
			for _, scope := range r.Scopes {
				if !strings.Contains(known, scope+" ") {
					t.Errorf("%s holds %s, which does not exist", r.Name, scope)
				}
			}
			_, _, err := w.UpdateRole(w.ctx, r.Name, identity.RoleInput{Scopes: patch.Set([]string{"read:agents"})})
			_, deleteErr := w.DeleteRole(w.ctx, r.Name)
			if !problem.Has(err, problem.SystemRole) || !problem.Has(deleteErr, problem.SystemRole) {
				t.Errorf("%s can change: %v, %v", r.Name, err, deleteErr)
			}
		}
	})
}

// A role that a user holds cannot be deleted; one that nobody holds can, and is
// then unknown.
func TestRoleInUse(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		role, err := w.CreateRole(w.ctx, identity.RoleInput{Name: "Payroll", Scopes: patch.Set([]string{"write:agents", "read:agents", "read:agents"})})
		if err != nil || strings.Join(role.Scopes, " ") != "read:agents write:agents" {
			t.Fatalf("%+v %v", role, err)
		}
		w.user(t, identity.UserInput{Username: "ana", Roles: patch.Set([]string{"Payroll"})})
		_, err = w.DeleteRole(w.ctx, "Payroll")
		if p := problem.From(err); len(p) != 1 || p[0].Code != problem.ReferenceInUse || p[0].Category != problem.Conflict {
			t.Fatalf("in use: %v", err)
		}
		if _, changed, err := w.UpdateUser(w.ctx, "ana", identity.UserInput{Roles: patch.Set([]string{"Agent"})}); err != nil || !changed {
			t.Fatal(err)
		}
		if _, err := w.DeleteRole(w.ctx, "Payroll"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.UpdateUser(w.ctx, "ana", identity.UserInput{Roles: patch.Set([]string{"Payroll"})}); !problem.Has(err, problem.UnknownRole) {
			t.Errorf("a deleted role: %v", err)
		}
		for _, in := range []identity.RoleInput{{Name: "X", Scopes: patch.Set([]string{"platform:tenants"})}, {Name: "X", Scopes: patch.Set([]string{"all"})}} {
			if _, err := w.CreateRole(w.ctx, in); !problem.Has(err, problem.UnknownScope) {
				t.Errorf("%v: %v", in.Scopes.Value, err)
			}
		}
	})
}

// The link to an agent ends with the agent; the user stays.
func TestUserOfADeletedAgent(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		c := w.As(apptest.Acme)
		if status, _, answer := c.REST(t, "POST", "/agents", map[string]any{"agentCode": "A1", "firstName": "A", "lastName": "A", "status": "Active",
			"teams": map[string]any{"default": map[string]any{}}, "initiator": "x"}); status != 201 {
			t.Fatalf("%s", answer)
		}
		if u := w.user(t, identity.UserInput{Username: "ana", AgentCode: patch.Set("A1")}); u.AgentCode == nil || *u.AgentCode != "A1" {
			t.Fatalf("%+v", u)
		}
		if status, _, answer := c.REST(t, "DELETE", "/agents/A1?initiator=x", nil); status != 204 {
			t.Fatalf("%d %s", status, answer)
		}
		u, err := w.User(w.ctx, "ana")
		if err != nil || u == nil || u.AgentCode != nil {
			t.Errorf("%+v %v", u, err)
		}
	})
}

// "Pending (…; cannot sign in), Approved (active; can sign in)" (User statuses).
// Every way to fail has one answer. A sign-in notes the time and is no change of
// the record.
func TestSignIn(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		before := w.user(t, identity.UserInput{Username: "Ana", Password: patch.Set(good), Status: patch.Set(identity.Approved)})
		w.user(t, identity.UserInput{Username: "ben", Password: patch.Set(good)})
		w.user(t, identity.UserInput{Username: "cleo", Status: patch.Set(identity.Approved)})
		w.Clock.Move(time.Hour)
		if _, err := w.Enter(w.ctx, identity.Entry{Username: "ANA", Password: good, Address: "192.0.2.1"}); err != nil {
			t.Fatal(err)
		}
		u, err := w.User(w.ctx, "ana")
		if err != nil || u.LastSignInAt == nil || !u.LastSignInAt.Equal(w.Clock.Now()) || !u.LastModified.Equal(before.LastModified) {
			t.Fatalf("%+v %v", u, err)
		}
		for name, password := range map[string]vault.Secret{"ana": "Tulip-bucket-92", "ben": good, "cleo": "", "nobody": good, "Ana": vault.Secret(strings.Repeat("x", 10_000))} {
			if _, err := w.Enter(w.ctx, identity.Entry{Username: name, Password: password, Address: "192.0.2.1"}); !errors.Is(err, identity.ErrRefused) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, _, err := w.UpdateUser(w.ctx, "ana", identity.UserInput{Status: patch.Set(identity.Pending)}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Enter(w.ctx, identity.Entry{Username: "ana", Password: good, Address: "192.0.2.1"}); !errors.Is(err, identity.ErrRefused) {
			t.Errorf("made Pending again: %v", err)
		}
		if _, err := w.Enter(w.World.Context(t, apptest.Umbra), identity.Entry{Username: "ana", Password: good, Address: "192.0.2.1"}); !errors.Is(err, identity.ErrRefused) {
			t.Errorf("in another tenant: %v", err)
		}
	})
}
