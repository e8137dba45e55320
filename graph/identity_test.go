package graph_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// The audit trail shows the entries of what the token's scopes read: with
// read:agents alone neither who is a user nor which clients and roles there are.
func TestAuditLogShowsWhatMayBeRead(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		all := w.As(apptest.Acme, bearer.TenantScopes()...)
		all.Query(t, `mutation { userCreate(input: {username: "ana"}) { applied } roleCreate(input: {name: "Clerk", scopes: ["read:agents"]}) { applied }
			clientCreate(input: {name: "crm", scopes: ["read:agents"]}) { applied } apiKeyCreate(input: {clientId: "acme.crm", name: "k", scopes: ["read:agents"]}) { applied }
			webhookSubscriptionCreate(input: {url: "https://example.com/in", events: ["AgentUpdated"]}) { applied } tagCreate(input: {name: "T", initiator: "x"}) { applied } }`, nil)
		for _, test := range []struct {
			scopes []string
			want   []any
		}{
			{[]string{"read:agents"}, list("Tag")},
			{[]string{"read:agents", "read:users"}, list("Tag", "User")},
			{[]string{"read:agents", "read:roles", "read:clients"}, list("ApiKey", "Client", "Role", "Tag")},
			{[]string{"read:agents", "read:webhook-subscriptions"}, list("Tag", "WebhookSubscription")},
			{bearer.TenantScopes(), list("ApiKey", "Client", "Role", "Tag", "User", "WebhookSubscription")},
		} {
			c := w.As(apptest.Acme, test.scopes...)
			data := c.Query(t, `{ auditLog { totalCount nodes { entityType } } user: auditLog(filter: {entityType: "User"}) { totalCount } }`, nil)
			shown := apptest.Each(data, "auditLog.nodes", "entityType")
			slices.SortFunc(shown, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
			equal(t, "types", any(shown), any(test.want))
			equal(t, "totalCount", apptest.At(data, "auditLog.totalCount"), any(number(strconv.Itoa(len(test.want)))))
			wantUsers := "0"
			if slices.Contains(test.scopes, "read:users") {
				wantUsers = "1"
			}
			equal(t, "users by filter", apptest.At(data, "user.totalCount"), any(number(wantUsers)))
		}
	})
}

// Who reads users sees the names of their roles; what these hold, only who may
// read roles.
func TestRolesOfUsersShowTheirNames(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.As(apptest.Acme, "write:users").Query(t, `mutation { userCreate(input: {username: "ana", roles: ["Agent"]}) { applied } }`, nil)
		c := w.As(apptest.Acme, "read:users")
		equal(t, "names", apptest.At(c.Query(t, `{ user(username: "ana") { roles { id name } } }`, nil), "user.roles.0.name"), any("Agent"))
		for _, field := range []string{"description", "scopes", "isSystem", "userCount", "createdAt", "createdBy", "lastModified", "lastModifiedBy"} {
			if _, errs := c.GraphQL(t, `{ user(username: "ana") { roles { `+field+` } } }`, nil); len(errs) != 1 || errs[0].Code() != "FORBIDDEN" {
				t.Errorf("%s: %+v", field, errs)
			}
			w.As(apptest.Acme, "read:users", "read:roles").Query(t, `{ user(username: "ana") { roles { `+field+` } } }`, nil)
		}
	})
}
