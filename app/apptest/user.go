package apptest

import (
	"context"

	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/tenant"
)

// AddUser adds an Approved user of a tenant who is an agent, none when agentCode
// is empty, and holds roles.
func (w *World) AddUser(t T, tenantIdentifier, username, agentCode string, roles ...string) *identity.User {
	t.Helper()
	in := identity.UserInput{Username: username, Status: patch.Set(identity.Approved), Roles: patch.Set(roles)}
	if agentCode != "" {
		in.AgentCode = patch.Set(agentCode)
	}
	user, err := w.Identity.CreateUser(w.Context(t, tenantIdentifier), in)
	if err != nil {
		t.Fatalf("user %s: %v", username, err)
	}
	return user
}

// AsUser returns a client through which a user acts. Its token asks for every
// scope that a tenant can give; what counts is what the user's roles hold.
func (w *World) AsUser(t T, tenantIdentifier string, user *identity.User) *Caller {
	t.Helper()
	client, _ := w.client(t, tenantIdentifier, bearer.TenantScopes())
	token, err := w.TokenOf(t.Context(), client, user.Username, user.ID, bearer.TenantScopes())
	if err != nil {
		t.Fatalf("token of %s: %v", user.Username, err)
	}
	return w.WithToken(tenantIdentifier, token)
}

// ContextOf returns the context of a request of a user: for calls below the doors.
func (w *World) ContextOf(t T, tenantIdentifier string, user *identity.User) context.Context {
	t.Helper()
	ctx := w.Context(t, tenantIdentifier)
	access, err := w.Identity.Access(ctx, user.ID)
	if err != nil {
		t.Fatalf("access of %s: %v", user.Username, err)
	}
	return tenant.WithCaller(ctx, tenant.Caller{Subject: user.Username, ClientID: "test.workbench", Scopes: access.Scopes,
		UserID: user.ID, Within: access.Within, Clock: w.Clock})
}
