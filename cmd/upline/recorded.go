package main

import (
	"context"

	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// recorded are the flags of commands that change something in a tenant and leave an entry
// in its audit trail.
type recorded struct {
	database
	initiated
}

// initiated is the flag that names who asks for the change.
type initiated struct {
	Initiator string `help:"Who asks for the change, for the audit trail." default:"command line" env:"UPLINE_INITIATOR"`
}

// record returns a function that writes the audit entry of a command that changes an
// object of a tenant. A nil tenant is the platform, which has no such trail.
func (r recorded) record(ctx context.Context, s *store.Store, t *tenant.Tenant, operation, entityType, key string) (store.Record, error) {
	if t == nil {
		return func(context.Context, *store.Tx, ...string) error { return nil }, nil
	}
	v, err := r.vault(ctx, s)
	if err != nil {
		return nil, err
	}
	return r.recordIn(ctx, s, v, t, operation, entityType, key)
}

// recordIn is record for a command that has opened the keys of the database.
func (r recorded) recordIn(ctx context.Context, s *store.Store, v *vault.Vault, t *tenant.Tenant, operation, entityType, key string) (store.Record, error) {
	// Keys are read before the transaction, not inside it.
	if err := v.Prepare(ctx, t.ID); err != nil {
		return nil, err
	}
	writer := change.New(s, system, v)
	return func(ctx context.Context, tx *store.Tx, fields ...string) error {
		ctx = audit.WithOrigin(tenant.With(ctx, t), audit.Origin{Operation: operation, Surface: audit.CommandLine})
		return writer.WriteIn(ctx, tx, r.Initiator, func(_ context.Context, w *change.Writing) error {
			w.Changed(entityType, key, fields...)
			return nil
		})
	}, nil
}

// recordClient is record for an existing client, in the trail of its tenant.
func (r recorded) recordClient(ctx context.Context, s *store.Store, operation, id string) (store.Record, error) {
	client, err := oauth.NewTables(s).Client(ctx, id)
	if err != nil {
		return nil, err
	}
	var owner *tenant.Tenant
	if client.TenantIdentifier != "" {
		if owner, err = directory.New(s, system).Find(ctx, client.TenantIdentifier); err != nil {
			return nil, err
		}
	}
	return r.record(ctx, s, owner, operation, "Client", id)
}
