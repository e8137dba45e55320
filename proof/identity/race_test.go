package identity_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

// together runs two functions at once.
func together(a, b func()) {
	var both sync.WaitGroup
	both.Go(a)
	both.Go(b)
	both.Wait()
}

// A role or an agent that is deleted while it is given to a user: the one or the
// other is refused, and neither is a fault.
func TestDeletedWhileAssigned(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		c := w.As(apptest.Acme)
		for i := range 12 {
			name, code := fmt.Sprintf("Role%d", i), fmt.Sprintf("A%d", i)
			if _, err := w.CreateRole(w.ctx, identity.RoleInput{Name: name, Scopes: patch.Set([]string{"read:agents"})}); err != nil {
				t.Fatal(err)
			}
			if status, _, answer := c.REST(t, "POST", "/agents", map[string]any{"agentCode": code, "firstName": "A", "lastName": "A", "status": "Active",
				"teams": map[string]any{"default": map[string]any{}}, "initiator": "x"}); status != 201 {
				t.Fatalf("%s", answer)
			}
			var gave, deleted error
			together(func() {
				_, gave = w.CreateUser(w.ctx, identity.UserInput{Username: "r" + name, Roles: patch.Set([]string{name})})
			}, func() { _, deleted = w.DeleteRole(w.ctx, name) })
			if (gave == nil) == (deleted == nil) || gave != nil && !problem.Has(gave, problem.UnknownRole) || deleted != nil && !problem.Has(deleted, problem.ReferenceInUse) {
				t.Errorf("role: %v and %v", gave, deleted)
			}
			var status int
			together(func() {
				_, gave = w.CreateUser(w.ctx, identity.UserInput{Username: "a" + code, AgentCode: patch.Set(code)})
			}, func() { status, _, _ = c.REST(t, "DELETE", "/agents/"+code+"?initiator=x", nil) })
			if status != 204 || gave != nil && !problem.Has(gave, problem.UnknownAgent) {
				t.Errorf("agent: %v and %d", gave, status)
			}
		}
	})
}

// Updates of a role at once follow each other: each is made, and stamped after
// the one before.
func TestRoleUpdatesAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		if _, err := w.CreateRole(w.ctx, identity.RoleInput{Name: "Clerk", Scopes: patch.Set([]string{"read:agents"})}); err != nil {
			t.Fatal(err)
		}
		errs, stamps := make([]error, 6), make([]time.Time, 6)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				r, _, err := w.UpdateRole(w.ctx, "Clerk", identity.RoleInput{Description: patch.Set(fmt.Sprint(i))})
				if errs[i] = err; err == nil {
					stamps[i] = r.LastModified
				}
			})
		}
		all.Wait()
		seen := map[time.Time]bool{}
		for i, err := range errs {
			if err != nil || seen[stamps[i]] {
				t.Errorf("%v, stamped %s", err, stamps[i])
			}
			seen[stamps[i]] = true
		}
	})
}

// A tenant has at most so many clients, also when the last are added at once and
// at the command line. Of a client's keys those that count are bounded, and those
// that ended are forgotten in the end.
func TestLimitsOfClientsAndKeys(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		acme := w.World.Tenants[apptest.Acme].ID
		rows := app.Operator(w.Store)
		client := func(i int) identity.NewClient {
			return identity.NewClient{ID: fmt.Sprintf("c%d", i), TenantID: &acme, Secret: "s", Scopes: []string{"read:agents"}}
		}
		for i := w.count(t, "identity_client"); i < identity.MaxClients-1; i++ {
			if err := rows.AddClient(t.Context(), client(i), w.Clock.Now()); err != nil {
				t.Fatal(err)
			}
		}
		var api, line error
		together(func() {
			_, _, api = w.CreateClient(w.ctx, identity.ClientInput{Name: "last", Scopes: patch.Set([]string{"read:agents"})})
		}, func() { line = rows.AddClient(t.Context(), client(1000), w.Clock.Now()) })
		if n := w.count(t, "identity_client"); n != identity.MaxClients || (api == nil) == (line == nil) {
			t.Errorf("%d clients; %v and %v", n, api, line)
		}

		key := func(expires *time.Time) error {
			_, _, err := w.CreateAPIKey(w.ctx, "c50", identity.APIKeyInput{Name: "k", Scopes: []string{"read:agents"}, ExpiresAt: expires})
			return err
		}
		for range 5 {
			soon := w.Clock.Now().Add(time.Hour)
			for range 20 {
				if err := key(&soon); err != nil {
					t.Fatalf("expired keys take no place: %v", err)
				}
			}
			if err := key(&soon); !problem.Has(err, problem.OutOfRange) {
				t.Errorf("21 keys that count: %v", err)
			}
			w.Clock.Move(2 * time.Hour)
		}
		if n := w.count(t, "identity_api_key"); n > 40 {
			t.Errorf("%d keys are kept", n)
		}
	})
}

// The last Approved user with the role Administrator keeps both, also when two
// make each other Pending at once.
func TestLastAdministrator(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		for _, name := range []string{"ana", "ben"} {
			w.user(t, identity.UserInput{Username: name, Status: patch.Set(identity.Approved), Roles: patch.Set([]string{"Administrator", "Agent"})})
		}
		var ana, ben error
		together(func() {
			_, _, ana = w.UpdateUser(w.ctx, "ana", identity.UserInput{Status: patch.Set(identity.Pending)})
		}, func() {
			_, _, ben = w.UpdateUser(w.ctx, "ben", identity.UserInput{Roles: patch.Set([]string{"Agent"})})
		})
		last, refused := "ana", ana
		if ana == nil {
			last, refused = "ben", ben
		}
		if (ana == nil) == (ben == nil) || !problem.Has(refused, problem.LastAdministrator) {
			t.Fatalf("%v and %v", ana, ben)
		}
		for field, in := range map[string]identity.UserInput{"status": {Status: patch.Set(identity.Pending)}, "roles": {Roles: patch.Null[[]string]()}} {
			_, _, err := w.UpdateUser(w.ctx, last, in)
			if p := problem.From(err); len(p) != 1 || p[0].Category != problem.Conflict || p[0].Field[0] != field {
				t.Errorf("%s: %v", field, err)
			}
		}
		if _, _, err := w.UpdateUser(w.ctx, last, identity.UserInput{Roles: patch.Set([]string{"Administrator"})}); err != nil {
			t.Errorf("anything else may change: %v", err)
		}
		w.user(t, identity.UserInput{Username: "cleo", Status: patch.Set(identity.Approved), Roles: patch.Set([]string{"Administrator"})})
		if _, _, err := w.UpdateUser(w.ctx, last, identity.UserInput{Status: patch.Set(identity.Pending)}); err != nil {
			t.Errorf("when there is another: %v", err)
		}
	})
}
