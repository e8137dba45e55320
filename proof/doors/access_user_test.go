package doors_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
)

// A token of a user does what the roles of the user hold now, and nothing once the
// user is not Approved any more.
func TestTokenFollowsTheUser(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		admin := w.As(apptest.Acme, allScopes...)
		status, _, body := admin.REST(t, http.MethodPost, "/agents", object{"agentCode": "A1", "firstName": "Ana", "lastName": "Diaz", "status": "Active",
			"teams": object{"default": object{"level": 10}}, "initiator": "hr"})
		if status != http.StatusCreated {
			t.Fatalf("POST /agents: %d %s", status, body)
		}
		user := w.AddUser(t, apptest.Acme, "ana", "A1", "Manager")
		c, ctx := w.AsUser(t, apptest.Acme, user), w.Context(t, apptest.Acme)
		expect := func(when string, agents, users int) {
			t.Helper()
			got, _, _ := c.REST(t, http.MethodGet, "/agents/A1", nil)
			gotUsers := c.Send(t, http.MethodGet, "/identity-management/{tenant}/users", nil, nil).Code
			if got != agents || gotUsers != users {
				t.Errorf("%s: %d and %d, want %d and %d", when, got, gotUsers, agents, users)
			}
		}
		update := func(in identity.UserInput) {
			t.Helper()
			if _, _, err := w.Identity.UpdateUser(ctx, "ana", in); err != nil {
				t.Fatal(err)
			}
		}
		expect("a manager", 200, 200)
		update(identity.UserInput{Roles: patch.Set([]string{"Agent"})})
		expect("an agent", 200, 403)
		update(identity.UserInput{AgentCode: patch.Field[string]{Sent: true}})
		expect("an agent who is none", 404, 403)
		update(identity.UserInput{Roles: patch.Set([]string{})})
		expect("without roles", 403, 403)
		update(identity.UserInput{Status: patch.Set(identity.Pending)})
		expect("pending", 401, 401)
		if data, errs := c.GraphQL(t, "{ viewer { subject } }", nil); data != nil || len(errs) != 1 || errs[0].Code() != "UNAUTHENTICATED" {
			t.Errorf("GraphQL answers a pending user %v %v", data, errs)
		}
	})
}

// Another process hears of a change within ten seconds.
func TestAccessIsKeptTenSeconds(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		user, ctx := w.AddUser(t, apptest.Acme, "ana", "", "Manager"), w.Context(t, apptest.Acme)
		other := identity.New(w.Identity.Config)
		isApproved := func(want bool) {
			t.Helper()
			if a, err := other.Access(ctx, user.ID); err != nil || a.IsApproved != want {
				t.Errorf("%+v %v, want %t", a, err, want)
			}
		}
		isApproved(true)
		if _, _, err := w.Identity.UpdateUser(ctx, "ana", identity.UserInput{Status: patch.Set(identity.Pending)}); err != nil {
			t.Fatal(err)
		}
		w.Clock.Move(10*time.Second - 1)
		isApproved(true)
		w.Clock.Move(1)
		isApproved(false)
		if a, err := other.Access(w.Context(t, apptest.Umbra), user.ID); err != nil || a.IsApproved {
			t.Errorf("the user of another tenant: %+v %v", a, err)
		}
	})
}

// A user is limited when a limited role gives a scope that no other role gives.
func TestWhoIsLimited(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		ctx := w.Context(t, apptest.Acme, allScopes...)
		for _, in := range []identity.RoleInput{
			{Name: "Own writer", Scopes: patch.Set([]string{"read:agents", "write:agents"}), LimitedToDownline: patch.Set(true)},
			{Name: "Role reader", Scopes: patch.Set([]string{"read:roles"})},
		} {
			if _, err := w.Identity.CreateRole(ctx, in); err != nil {
				t.Fatal(err)
			}
		}
		for i, c := range []struct {
			roles   []string
			limited bool
		}{
			{[]string{"Agent"}, true},
			{[]string{"Agent", "Own writer"}, true},
			{[]string{"Analyst"}, false},
			{[]string{"Agent", "Analyst"}, false},     // Analyst reads every agent without a limit
			{[]string{"Own writer", "Analyst"}, true}, // nothing without a limit writes agents
			{[]string{"Agent", "Role reader"}, true},  // nothing without a limit reads agents
			{[]string{"Own writer", "Manager"}, false},
			{nil, false},
		} {
			user := w.AddUser(t, apptest.Acme, fmt.Sprintf("user%d", i), "", c.roles...)
			if a, err := w.Identity.Access(ctx, user.ID); err != nil || (a.Within != nil) != c.limited {
				t.Errorf("%v: %+v %v", c.roles, a, err)
			}
		}
	})
}
