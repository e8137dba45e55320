package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/uplinehq/upline/internal/app"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/vault"
)

// addDemoUsers adds two users to the first tenant of the demo, one of them the
// agent of the examples, and returns what there is to say of those that are new:
// their passwords are made up, and shown this once.
func addDemoUsers(ctx context.Context, a *app.App) (string, error) {
	t, err := a.Tenants.Find(ctx, demoTenants[0].identifier)
	if err != nil {
		return "", err
	}
	example, err := deepestAgent(ctx, a)
	if err != nil {
		return "", err
	}
	ctx = byOperator(ctx, t, "userCreate", "upline")
	var made strings.Builder
	for _, in := range []identity.UserInput{
		{Username: "admin", Roles: patch.Set([]string{"Administrator"})},
		{Username: "agent", Roles: patch.Set([]string{"Agent"}), AgentCode: patch.Set(example)},
	} {
		password := rand.Text()
		in.Password, in.Status = patch.Set(vault.Secret(password)), patch.Set(identity.Approved)
		_, err := a.Identity.CreateUser(ctx, in)
		if problem.Has(err, problem.DuplicateKey) {
			continue // of an earlier start
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&made, "  User         %s/%s (tenant %s; shown this once)\n", in.Username, password, t.Identifier)
	}
	return made.String(), nil
}
