package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

type tenantCommand struct {
	Create tenantCreateCommand `cmd:"" help:"Create a tenant with starter reference data."`
	Update tenantUpdateCommand `cmd:"" help:"Change settings of a tenant. Running servers follow within ten seconds."`
	List   tenantListCommand   `cmd:"" help:"List tenants."`
}

type tenantCreateCommand struct {
	database
	Identifier      string `arg:"" help:"Name in paths and tokens: lower-case letters, digits, hyphens."`
	Name            string `help:"Display name; the identifier by default."`
	TimeZone        string `help:"IANA time zone that decides which day is today." default:"UTC"`
	DefaultPageSize int    `help:"Rows in a page when a request names no number." default:"50"`
	MaxPageSize     int    `help:"Maximum number of rows in a page, at most 100." default:"100"`
	Master          string `help:"Tenant whose agent codes are reused for the same person; it must not have a master itself." placeholder:"IDENTIFIER"`
	MaskSensitive   bool   `help:"Mask sensitive values over REST too, for tokens without the scope read:agents:sensitive."`
	UserStatus      string `help:"Status of a new user when the request names none: Pending or Approved." default:"Pending" enum:"Pending,Approved"`
	PasswordLength  int    `help:"Minimum length of a password, from 8 to 64 characters; 15 is recommended." default:"8"`
}

// Run implements the command.
func (c *tenantCreateCommand) Run(ctx context.Context) error {
	if c.Name == "" {
		c.Name = c.Identifier
	}
	return c.with(ctx, func(s *store.Store, v *vault.Vault) error {
		t, err := directory.Create(ctx, s, v, system, directory.NewTenant{Identifier: c.Identifier, Name: c.Name, TimeZone: c.TimeZone,
			DefaultPageSize: c.DefaultPageSize, MaxPageSize: c.MaxPageSize, Master: c.Master, MaskSensitive: c.MaskSensitive,
			DefaultUserStatus: strings.ToUpper(c.UserStatus), MinPasswordLength: c.PasswordLength})
		if err != nil {
			return err
		}
		fmt.Println("created tenant", t.Identifier)
		return nil
	})
}

type tenantUpdateCommand struct {
	recorded
	Identifier      string  `arg:"" help:"Identifier of the tenant."`
	Name            *string `help:"Display name."`
	TimeZone        *string `help:"IANA time zone that decides which day is today."`
	DefaultPageSize *int    `help:"Rows in a page when a request names no number."`
	MaxPageSize     *int    `help:"Maximum number of rows in a page, at most 100."`
	Master          *string `help:"Tenant whose agent codes are reused for the same person; it must not have a master itself; none for no master." placeholder:"IDENTIFIER"`
	MaskSensitive   *bool   `negatable:"" help:"Mask sensitive values over REST too, for tokens without the scope read:agents:sensitive."`
	UserStatus      *string `help:"Status of a new user when the request names none: Pending or Approved."`
	PasswordLength  *int    `help:"Minimum length of new passwords, from 8 to 64 characters; 15 is recommended."`
	ValuesKeptYears *int    `help:"For how many years what values were before is kept, for the changes of a record and for what was known at an instant; 0 for ever."`
	PasswordSignIn  *bool   `negatable:"" help:"Let people sign in with passwords, and not with sign-in providers alone: the way back in when a provider is lost."`
}

// Run implements the command.
func (c *tenantUpdateCommand) Run(ctx context.Context) error {
	if c.Master != nil && *c.Master == "none" {
		c.Master = new("")
	}
	if c.UserStatus != nil {
		c.UserStatus = new(strings.ToUpper(*c.UserStatus))
	}
	return c.within(ctx, c.Identifier, func(s *store.Store, v *vault.Vault, t *tenant.Tenant) error {
		record, err := c.recordIn(ctx, s, v, t, "tenant update", directory.Entity, t.Identifier)
		if err != nil {
			return err
		}
		if _, err = directory.Update(ctx, s, system, c.Identifier, directory.Settings{Name: patch.Given(c.Name), TimeZone: patch.Given(c.TimeZone),
			DefaultPageSize: patch.Given(c.DefaultPageSize), MaxPageSize: patch.Given(c.MaxPageSize), Master: patch.Given(c.Master), MaskSensitive: patch.Given(c.MaskSensitive),
			DefaultUserStatus: patch.Given(c.UserStatus), MinPasswordLength: patch.Given(c.PasswordLength), PasswordSignIn: patch.Given(c.PasswordSignIn),
			ValuesKeptYears: patch.Given(c.ValuesKeptYears)}, record); err != nil {
			return err
		}
		fmt.Println("updated tenant", t.Identifier)
		return nil
	})
}

type tenantListCommand struct{ database }

// Run implements the command.
func (c *tenantListCommand) Run(ctx context.Context) error {
	s, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	all, err := directory.New(s, system).List(ctx)
	for _, t := range all {
		fmt.Printf("%-24s %s\n", t.Identifier, t.Zone)
	}
	return err
}
