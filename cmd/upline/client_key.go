package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

type clientKeyCommand struct {
	Create clientKeyCreateCommand `cmd:"" help:"Create an API key of a client and print it, once."`
	List   clientKeyListCommand   `cmd:"" help:"List the API keys of a client."`
	Revoke clientKeyRevokeCommand `cmd:"" help:"Revoke an API key. Servers refuse it within ten seconds."`
}

// ofTenant opens the database and its identities, for commands that work in a tenant.
type ofTenant struct {
	database
	Tenant string `help:"Tenant to work in." required:"" placeholder:"IDENTIFIER"`
}

func (o ofTenant) with(ctx context.Context, operation, initiator string, f func(context.Context, *identity.Service) error) error {
	return o.within(ctx, o.Tenant, func(s *store.Store, v *vault.Vault, t *tenant.Tenant) error {
		return f(byOperator(ctx, t, operation, initiator), identity.New(identity.Config{Store: s, Clock: system, Vault: v, Scopes: bearer.TenantScopes(), Issuer: app.Issuer, Party: app.Party(system)}))
	})
}

// list calls f with the identities of the tenant, which decrypt nothing.
func (o ofTenant) list(ctx context.Context, operation string, f func(context.Context, *identity.Service) error) error {
	return o.reading(ctx, o.Tenant, func(s *store.Store, t *tenant.Tenant) error {
		return f(byOperator(ctx, t, operation, ""), identity.New(identity.Config{Store: s, Clock: system, Scopes: bearer.TenantScopes(), Issuer: app.Issuer}))
	})
}

// byOperator returns a context for work in a tenant on behalf of whoever runs the command
// line, who may do everything.
func byOperator(ctx context.Context, t *tenant.Tenant, operation, initiator string) context.Context {
	ctx = audit.WithOrigin(tenant.With(ctx, t), audit.Origin{Operation: operation, Surface: audit.CommandLine})
	return tenant.WithCaller(ctx, tenant.Caller{Subject: initiator, ClientID: "upline", Scopes: bearer.TenantScopes()})
}

type clientKeyCreateCommand struct {
	ofTenant
	initiated
	Client string   `arg:"" help:"The client's id."`
	Name   string   `help:"What the key is for." required:""`
	Scopes []string `help:"Scopes of the client, separated by commas." required:""`
	expiry
}

// Run implements the command.
func (c *clientKeyCreateCommand) Run(ctx context.Context) error {
	if err := knownScopes(c.Scopes); err != nil {
		return err
	}
	return c.with(ctx, "client key create", c.Initiator, func(ctx context.Context, s *identity.Service) error {
		key, secret, err := s.CreateAPIKey(ctx, c.Client, identity.APIKeyInput{Name: c.Name, Scopes: c.Scopes, ExpiresAt: c.at()})
		if err != nil {
			return err
		}
		fmt.Println("id", key.UID)
		fmt.Println("key", secret.Reveal())
		return nil
	})
}

type clientKeyListCommand struct {
	ofTenant
	Client string `arg:"" help:"The client's id."`
}

// Run implements the command.
func (c *clientKeyListCommand) Run(ctx context.Context) error {
	return c.list(ctx, "client key list", func(ctx context.Context, s *identity.Service) error {
		client, err := s.Client(ctx, c.Client)
		if err != nil {
			return err
		}
		if client == nil {
			return problem.Missing(problem.NotFoundCode, "The tenant has no such client", "client")
		}
		keys, err := s.APIKeysOf(ctx, []int64{client.ID})
		for _, k := range keys[client.ID] {
			fmt.Printf("%s  %s…  used %-10s expires %-10s revoked %-10s %s  %s\n", k.UID, k.Hint, day(k.LastUsedAt), day(k.ExpiresAt), day(k.RevokedAt), k.Name, strings.Join(k.Scopes, " "))
		}
		return err
	})
}

type clientKeyRevokeCommand struct {
	ofTenant
	initiated
	ID string `arg:"" help:"The key's id."`
}

// Run implements the command.
func (c *clientKeyRevokeCommand) Run(ctx context.Context) error {
	return c.with(ctx, "client key revoke", c.Initiator, func(ctx context.Context, s *identity.Service) error {
		_, _, err := s.RevokeAPIKey(ctx, c.ID)
		return err
	})
}
