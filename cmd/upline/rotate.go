package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/vault"
)

type rotateKeysCommand struct {
	database
	Tenant     string `help:"The tenant whose key is rotated; all, and the platform, when not given." xor:"what"`
	NewKeyFile string `help:"File of another key-encryption key, made when missing." type:"path" xor:"what"`
}

// Help implements kong's hook.
func (*rotateKeysCommand) Help() string {
	return `Each tenant has a key of its own, stored wrapped by the key-encryption key of the configuration.

Without --new-key-file each tenant gets a fresh key, and its sensitive values are encrypted again with it. Older keys stay, so that backups, and what servers write meanwhile, still open. Servers go on; they take up the fresh key when they meet a value that it encrypted. Run the command again to reach what they wrote with the older one. The platform's fresh key encrypts the signing keys made from then on.

With --new-key-file the keys themselves stay, and are all wrapped by the key in that file. Restart the servers with the new key right after: until then they have the keys of the tenants that they worked for, and no others. Do not create tenants meanwhile; if you did, run the command again with the same two keys.

A run that was interrupted is simply run again.`
}

// Run implements the command.
func (c *rotateKeysCommand) Run(ctx context.Context) error {
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
	change := rotation(s, v)
	if c.NewKeyFile != "" {
		if change, err = rewrapping(v, c.NewKeyFile); err != nil {
			return err
		}
	}
	if c.Tenant == "" {
		// Last: a server opens the platform's keys when it starts, so none starts
		// with the new key before all is done.
		chosen = append(chosen, &tenant.Tenant{ID: vault.Platform, Identifier: "(platform)"})
	}
	for _, t := range chosen {
		done, err := change(tenant.With(ctx, t), t.ID)
		if errors.Is(err, vault.ErrNoKeyset) {
			done, err = "has no keys yet", nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.Identifier, err)
		}
		fmt.Printf("%-24s %s\n", t.Identifier, done)
	}
	return nil
}

// keyChange changes the keys of the context's tenant and says what was done.
type keyChange func(ctx context.Context, tenantID int64) (done string, err error)

// reencrypters encrypt the values of the context's tenant again: one of each
// area that has any.
func reencrypters(s *store.Store, v *vault.Vault) []func(ctx context.Context) (n int, err error) {
	agents := agency.New(s, system, v)
	return []func(context.Context) (int, error){agents.Reencrypt, onboarding.New(s, system, v, agents).Reencrypt}
}

// rotation gives a tenant a fresh key.
func rotation(s *store.Store, v *vault.Vault) keyChange {
	areas := reencrypters(s, v)
	return func(ctx context.Context, tenantID int64) (string, error) {
		if err := v.Rotate(ctx, tenantID); err != nil {
			return "", err
		}
		values := 0
		for _, reencrypt := range areas {
			n, err := reencrypt(ctx)
			if err != nil {
				return "", err
			}
			values += n
		}
		return fmt.Sprintf("fresh key, %d values encrypted again", values), nil
	}
}

// rewrapping wraps a tenant's keys by the key in a file.
func rewrapping(v *vault.Vault, file string) (keyChange, error) {
	key, err := vault.LoadOrCreateKeyFile(file)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tenantID int64) (string, error) {
		return "wrapped by the new key", v.Rewrap(ctx, tenantID, key)
	}, nil
}
