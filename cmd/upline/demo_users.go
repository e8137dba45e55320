package main

import (
	"context"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
)

// demoPassword is the password of the well-known users. They exist in the demo only.
const demoPassword = "upline-playground"

// demoUser is a well-known user. The sign-in page offers those of the first tenant.
type demoUser struct{ username, role, label string }

var demoUsers = []demoUser{
	{"admin", "Administrator", "Administrator: everything"},
	{"recruiter", "Recruiter", "Recruiter: agents and applications"},
	{"analyst", "Analyst", "Analyst: agents and reports"},
	{"agent", "Agent", "Agent: their own downline"},
}

// demoAccounts are the users of the first tenant, for the sign-in page.
func demoAccounts() []oauth.Account {
	var all []oauth.Account
	for _, u := range demoUsers {
		all = append(all, oauth.Account{Label: u.label, Tenant: demoTenants[0].identifier, Username: u.username, Password: demoPassword})
	}
	return all
}

// addDemoUsers adds the well-known users, unless an earlier start did: one of each role
// in the first tenant, and an administrator in the second. The agent with limited access
// has people below.
func addDemoUsers(ctx context.Context, a *app.App) error {
	example, err := leadingAgent(ctx, a)
	if err != nil {
		return err
	}
	for n, d := range demoTenants {
		t, err := a.Tenants.Find(ctx, d.identifier)
		if err != nil {
			return err
		}
		ctx := byOperator(ctx, t, "userCreate", "upline")
		for _, u := range demoUsers {
			if n > 0 && u.username != "admin" {
				continue
			}
			in := identity.UserInput{Username: u.username, Roles: patch.Set([]string{u.role}),
				Password: patch.Set(vault.Secret(demoPassword)), Status: patch.Set(identity.Approved)}
			if u.username == "agent" {
				in.AgentCode = patch.Set(example)
			}
			if _, err := a.Identity.CreateUser(ctx, in); err != nil && !problem.Has(err, problem.DuplicateKey) {
				return err
			}
		}
	}
	return nil
}
