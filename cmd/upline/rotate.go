package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/uplinehq/upline/app/doctor"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

type rotateKeysCommand struct {
	recorded
	Tenant     string `help:"Tenant whose key is rotated; by default all tenants and the platform." xor:"what"`
	NewKeyFile string `help:"File of the new key-encryption key, created if it is missing." type:"path" xor:"what"`
}

// Help implements kong's hook.
func (*rotateKeysCommand) Help() string {
	return `Each tenant has a key of its own, which the database stores wrapped with the key-encryption key.

Without --new-key-file each tenant gets a new key, and its sensitive values are encrypted again with it. Older keys stay, so backups, and values that servers write meanwhile, can still be read. Servers keep running; each begins to use the new key when it reads a value encrypted with it. Run the command again later to encrypt anew what servers wrote with the older key meanwhile. The platform also gets a new key and new signing keys. Signing keys are published at once and sign tokens after eleven minutes, when every running server knows them. Older signing keys stay published until the last token that they signed has expired. Servers also rotate signing keys by themselves: none signs for longer than 90 days.

With --new-key-file the keys of tenants stay the same, and are wrapped with the key in that file. Restart the servers with the new key right afterwards: until then they can use only the keys that they have already read. Do not create tenants meanwhile; if you did, run the command again with the same two keys.

If a run is interrupted, run the command again.`
}

// Run implements the command.
func (c *rotateKeysCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(s *store.Store, v *vault.Vault) error { return c.rotate(ctx, s, v) })
}

func (c *rotateKeysCommand) rotate(ctx context.Context, s *store.Store, v *vault.Vault) error {
	chosen, err := chooseTenants(ctx, s, c.Tenant)
	if err != nil {
		return err
	}
	change, after := rotation(s, v), v
	if c.NewKeyFile != "" {
		if change, after, err = rewrapping(s, v, c.NewKeyFile); err != nil {
			return err
		}
	}
	if c.Tenant == "" {
		// The platform comes last: a server opens the platform's keys when it starts, so
		// none starts with the new key before everything is done.
		chosen = append(chosen, &tenant.Tenant{ID: vault.Platform, Identifier: "(platform)"})
	}
	for _, t := range chosen {
		done, err := change(tenant.With(ctx, t), t.ID)
		if errors.Is(err, vault.ErrNoKeyset) {
			done, err = "has no keys yet", nil
		} else if err == nil {
			err = c.recordKeys(ctx, s, after, t)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.Identifier, err)
		}
		fmt.Printf("%-24s %s\n", t.Identifier, done)
	}
	return nil
}

// recordKeys writes the audit entry of a tenant after its keys have changed: keys are
// stored in transactions of their own. A run that was interrupted in between has to be
// run again, and writes its entry then.
func (c *rotateKeysCommand) recordKeys(ctx context.Context, s *store.Store, v *vault.Vault, t *tenant.Tenant) error {
	if t.ID == vault.Platform { // has no trail
		return nil
	}
	record, err := c.recordIn(ctx, s, v, t, "rotate-keys", "Tenant", t.Identifier)
	if err != nil {
		return err
	}
	return s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error { return record(ctx, tx, "keys") })
}

// keyChange changes the keys of the context's tenant and says what it did.
type keyChange func(ctx context.Context, tenantID int64) (done string, err error)

// rotation gives a tenant a fresh key.
func rotation(s *store.Store, v *vault.Vault) keyChange {
	return func(ctx context.Context, tenantID int64) (string, error) {
		if err := v.Rotate(ctx, tenantID); err != nil {
			return "", err
		}
		if tenantID == vault.Platform {
			return "fresh key, fresh signing keys", rotateSigningKeys(ctx, s, v)
		}
		bar := newLateProgress("values")
		values, err := reencryption.Run(ctx, s, v, doctor.SealedColumns(), func(done, total int) { bar.show("encrypting "+tenant.From(ctx).Identifier, done, total) })
		bar.end()
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("fresh key, %d values encrypted again", values), nil
	}
}

// rotateSigningKeys adds the keys that will sign access tokens next.
func rotateSigningKeys(ctx context.Context, s *store.Store, v *vault.Vault) error {
	if err := v.Prepare(ctx, vault.Platform); err != nil {
		return err
	}
	ring, err := keyring.New(ctx, oauth.NewTables(s), v, system)
	if err != nil {
		return err
	}
	return ring.Rotate(ctx)
}

// rewrapping returns a keyChange that wraps a tenant's keys with the key in a file, and
// the vault that opens them afterwards.
func rewrapping(s *store.Store, v *vault.Vault, file string) (keyChange, *vault.Vault, error) {
	key, err := vault.LoadOrCreateKeyFile(file)
	if err != nil {
		return nil, nil, err
	}
	after, err := vault.New(key, keysets(s))
	return func(ctx context.Context, tenantID int64) (string, error) {
		return "wrapped by the new key", v.Rewrap(ctx, tenantID, key)
	}, after, err
}
