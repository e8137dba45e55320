package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/uplinehq/upline/internal/audit"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/tenants"
)

type auditCommand struct {
	Verify auditVerifyCommand `cmd:"" help:"Check that nobody tampered with the audit trail; fails when somebody did."`
}

type auditVerifyCommand struct {
	database
	Tenant string `help:"The tenant to check; all when not given."`
	Head   string `help:"Head that an earlier run printed for the tenant: finds a trail that was cut since." placeholder:"SEQ:HASH"`
}

// Validate implements kong's hook.
func (c *auditVerifyCommand) Validate() error {
	if c.Head != "" && c.Tenant == "" {
		return errors.New("--head is of one tenant: give --tenant")
	}
	return nil
}

var errTampered = errors.New("the audit trail is broken")

// Run implements the command.
func (c *auditVerifyCommand) Run(ctx context.Context) error {
	var expected audit.Head
	if c.Head != "" {
		var err error
		if expected, err = audit.ParseHead(c.Head); err != nil {
			return err
		}
	}
	s, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	v, err := c.vault(s)
	if err != nil {
		return err
	}
	chosen, err := chooseTenants(ctx, s, c.Tenant)
	if err != nil {
		return err
	}
	trail := audit.New(s, system, v)
	for _, t := range chosen {
		err = errors.Join(err, verify(ctx, trail, t, expected))
	}
	if c.Tenant == "" { // the platform's own trail has the changes of what all tenants share
		err = errors.Join(err, verify(ctx, trail, tenant.Platform, expected))
	}
	return err
}

// verify checks one tenant's trail and prints a line.
func verify(ctx context.Context, trail *audit.Trail, t *tenant.Tenant, expected audit.Head) error {
	name := cmp.Or(t.Identifier, "(platform)")
	r, err := trail.Verify(tenant.With(ctx, t), expected)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if t == tenant.Platform && r.Entries == 0 && !r.Broken() {
		return nil
	}
	state := "ok"
	if r.Broken() {
		state = fmt.Sprintf("BROKEN at %d: %s", r.BrokenAt, r.Reason)
		err = fmt.Errorf("%s: %w", name, errTampered)
	}
	fmt.Printf("%-24s %8d entries  head %s  %s\n", name, r.Entries, r.Head, state)
	return err
}

// chooseTenants returns the tenant of an identifier, or all without one.
func chooseTenants(ctx context.Context, s *store.Store, identifier string) ([]*tenant.Tenant, error) {
	directory := tenants.NewDirectory(s, system)
	if identifier == "" {
		return directory.List(ctx)
	}
	t, err := directory.Find(ctx, identifier)
	if err != nil {
		return nil, err
	}
	return []*tenant.Tenant{t}, nil
}
