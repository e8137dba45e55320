package main

import (
	"context"

	"github.com/uplinehq/upline/internal/app"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/vault"
)

// demoPassword is that of the well-known users. They exist in the demo only.
const demoPassword = "upline-playground"

// addDemoUsers adds the well-known users, unless an earlier start did: an
// administrator of each tenant, and in the first one the agent of the examples.
func addDemoUsers(ctx context.Context, a *app.App) error {
	example, err := deepestAgent(ctx, a)
	if err != nil {
		return err
	}
	for _, d := range demoTenants {
		t, err := a.Tenants.Find(ctx, d.identifier)
		if err != nil {
			return err
		}
		users := []identity.UserInput{{Username: "admin", Roles: patch.Set([]string{"Administrator"})}}
		if d.identifier == demoTenants[0].identifier {
			users = append(users, identity.UserInput{Username: "agent", Roles: patch.Set([]string{"Agent"}), AgentCode: patch.Set(example)})
		}
		ctx := byOperator(ctx, t, "userCreate", "upline")
		for _, in := range users {
			in.Password, in.Status = patch.Set(vault.Secret(demoPassword)), patch.Set(identity.Approved)
			if _, err := a.Identity.CreateUser(ctx, in); err != nil && !problem.Has(err, problem.DuplicateKey) {
				return err
			}
		}
	}
	return nil
}
