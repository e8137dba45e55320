package directory

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// Keysets stores the wrapped keys of tenants. It implements vault.Keysets.
type Keysets struct{ store *store.Store }

// NewKeysets returns the keysets in a database.
func NewKeysets(s *store.Store) *Keysets { return &Keysets{s} }

// Load implements vault.Keysets. Inside a transaction it uses that transaction's
// connection.
func (k *Keysets) Load(ctx context.Context, tenantID int64) ([]byte, error) {
	var wrapped []byte
	found, err := store.One(ctx, k.store.Within(ctx), []any{&wrapped}, "SELECT wrapped FROM tenant_keyset WHERE tenant_id = $1", tenantID)
	if err != nil {
		return nil, fmt.Errorf("read keyset: %w", err)
	}
	if !found {
		return nil, vault.ErrNoKeyset
	}
	return wrapped, nil
}

// Any implements vault.Keysets.
func (k *Keysets) Any(ctx context.Context) (tenantID int64, wrapped []byte, err error) {
	found, err := store.One(ctx, k.store, []any{&tenantID, &wrapped}, "SELECT tenant_id, wrapped FROM tenant_keyset ORDER BY tenant_id LIMIT 1")
	if err == nil && !found {
		err = vault.ErrNoKeyset
	}
	return tenantID, wrapped, err
}

// Create implements vault.Keysets.
func (k *Keysets) Create(ctx context.Context, tenantID int64, wrapped []byte) (stored []byte, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		// The update changes nothing; it makes RETURNING return an existing row.
		_, err := store.One(ctx, tx, []any{&stored}, `INSERT INTO tenant_keyset (tenant_id, wrapped) VALUES ($1, $2)
			ON CONFLICT (tenant_id) DO UPDATE SET tenant_id = excluded.tenant_id RETURNING wrapped`, tenantID, wrapped)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("store keyset: %w", err)
	}
	return stored, nil
}

// Replace implements vault.Keysets.
func (k *Keysets) Replace(ctx context.Context, tenantID int64, loaded, wrapped []byte) (swapped bool, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		changed, err := tx.Exec(ctx, "UPDATE tenant_keyset SET wrapped = $1 WHERE tenant_id = $2 AND wrapped = $3", wrapped, tenantID, loaded)
		swapped = changed == 1
		return err
	})
	if err != nil {
		return false, fmt.Errorf("store keyset: %w", err)
	}
	return swapped, nil
}
