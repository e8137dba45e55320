package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/vault"
)

type providerCommand struct {
	Create  providerCreateCommand  `cmd:"" help:"Let people of a tenant sign in with an OpenID provider."`
	Check   providerCheckCommand   `cmd:"" help:"Try a sign-in provider out."`
	Enable  providerEnableCommand  `cmd:"" help:"Let people sign in with a disabled provider again."`
	Disable providerDisableCommand `cmd:"" help:"Let nobody sign in with a provider. All that people have begun with it ends."`
	Delete  providerDeleteCommand  `cmd:"" help:"Remove a sign-in provider, with its links to users."`
	List    providerListCommand    `cmd:"" help:"List the sign-in providers of a tenant."`
}

type providerCreateCommand struct {
	ofTenant
	initiated
	Name         string            `arg:"" help:"Its name in addresses: lower-case letters, digits, dashes."`
	Issuer       string            `help:"Its own address, the iss of its tokens." required:"" placeholder:"URL"`
	ClientID     string            `help:"What it calls this server." required:""`
	Secret       bool              `help:"Read the client secret that it gave from the first line of the standard input."`
	Label        string            `help:"Its name on the sign-in page; the name by default."`
	Domain       []string          `help:"Domain of e-mail addresses that lead to it; may be repeated."`
	GroupsClaim  string            `help:"Claim with a person's groups." default:"groups"`
	Role         map[string]string `help:"Role that a group gives, as group=role; may be repeated." mapsep:"none" placeholder:"GROUP=ROLE"`
	CreatesUsers bool              `help:"Make an Approved user of whoever it signs in for the first time."`
}

// Run implements the command.
func (c *providerCreateCommand) Run(ctx context.Context) error {
	in := identity.ProviderInput{Name: c.Name, Issuer: c.Issuer, ClientID: c.ClientID, Label: patch.Set(c.Label), Domains: patch.Set(c.Domain),
		GroupsClaim: patch.Set(c.GroupsClaim), CreatesUsers: patch.Set(c.CreatesUsers)}
	if c.Secret {
		line, err := bufio.NewReader(io.LimitReader(os.Stdin, 4096)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		in.ClientSecret = patch.Set(vault.Secret(strings.TrimRight(line, "\r\n")))
	}
	roles := []identity.GroupRole{}
	for group, role := range c.Role {
		roles = append(roles, identity.GroupRole{Group: group, Role: role})
	}
	in.Roles = patch.Set(roles)
	return c.with(ctx, "provider create", c.Initiator, func(ctx context.Context, s *identity.Service) error {
		p, err := s.CreateProvider(ctx, in)
		if err != nil {
			return err
		}
		redirect, logout := s.Party.Addresses(c.Tenant, p.Name)
		fmt.Printf("provider %s\nTell it these addresses below the server's:\nredirect URI %s\nback-channel logout %s\n", p.Name, redirect, logout)
		return nil
	})
}

type providerCheckCommand struct {
	ofTenant
	Name string `arg:"" help:"The provider's name."`
}

// Run implements the command.
func (c *providerCheckCommand) Run(ctx context.Context) error {
	return c.with(ctx, "provider check", "", func(ctx context.Context, s *identity.Service) error {
		found, err := s.CheckProvider(ctx, c.Name)
		for _, f := range found {
			state := "ok  "
			if !f.IsOk {
				state, err = "FAIL", errors.New("people cannot sign in with the provider")
			}
			fmt.Println(strings.TrimSpace(state + " " + f.Step + ". " + f.Text))
		}
		return err
	})
}

type providerEnableCommand struct {
	ofTenant
	initiated
	Name string `arg:"" help:"The provider's name."`
}

// Run implements the command.
func (c *providerEnableCommand) Run(ctx context.Context) error {
	return c.setDisabledProvider(ctx, "provider enable", c.Initiator, c.Name, false)
}

func (o ofTenant) setDisabledProvider(ctx context.Context, operation, initiator, name string, disabled bool) error {
	return o.with(ctx, operation, initiator, func(ctx context.Context, s *identity.Service) error {
		_, _, err := s.UpdateProvider(ctx, name, identity.ProviderInput{IsDisabled: patch.Set(disabled)})
		return err
	})
}

type providerDisableCommand struct {
	ofTenant
	initiated
	Name string `arg:"" help:"The provider's name."`
}

// Run implements the command.
func (c *providerDisableCommand) Run(ctx context.Context) error {
	return c.setDisabledProvider(ctx, "provider disable", c.Initiator, c.Name, true)
}

type providerDeleteCommand struct {
	ofTenant
	initiated
	Name string `arg:"" help:"The provider's name."`
}

// Run implements the command.
func (c *providerDeleteCommand) Run(ctx context.Context) error {
	return c.with(ctx, "provider delete", c.Initiator, func(ctx context.Context, s *identity.Service) error {
		return s.DeleteProvider(ctx, c.Name)
	})
}

type providerListCommand struct{ ofTenant }

// Run implements the command.
func (c *providerListCommand) Run(ctx context.Context) error {
	return c.list(ctx, "provider list", func(ctx context.Context, s *identity.Service) error {
		all, err := s.Providers(ctx)
		for _, p := range all {
			state := "enabled"
			if p.IsDisabled {
				state = "disabled"
			}
			fmt.Printf("%-24s %-8s %s %s\n", p.Name, state, p.Issuer, strings.Join(p.Domains, " "))
		}
		return err
	})
}
