package oauth

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/identityclient"
	"github.com/uplinehq/upline/ent/db/identitysigningkey"
	"github.com/uplinehq/upline/ent/db/tenant"
	"github.com/uplinehq/upline/internal/store"
)

// EntStore keeps clients and keys in the database. It implements Clients and Keys.
// Both tables belong to the platform: whoever asks for a token has no tenant yet.
type EntStore struct{ store *store.Store }

// NewEntStore returns a store on a database.
func NewEntStore(s *store.Store) *EntStore { return &EntStore{s} }

// Client implements Clients. It always asks for a tenant too, as the time of one
// query more would tell an unknown client from a wrong secret.
func (s *EntStore) Client(ctx context.Context, clientID string) (Client, error) {
	row, err := s.store.Ent().IdentityClient.Query().Where(identityclient.ClientID(clientID)).Only(ctx)
	unknown := db.IsNotFound(err)
	if err != nil && !unknown {
		return Client{}, fmt.Errorf("oauth: read client: %w", err)
	}
	var tenantID int64 // no tenant has 0
	if !unknown && row.TenantID != nil {
		tenantID = *row.TenantID
	}
	owner, err := s.store.Ent().Tenant.Query().Where(tenant.ID(tenantID)).Only(ctx)
	// Only clients of the platform have no tenant. An empty identifier would turn
	// any other client into one of them.
	if err != nil && (tenantID != 0 || !db.IsNotFound(err)) {
		return Client{}, fmt.Errorf("oauth: read the client's tenant: %w", err)
	}
	if unknown {
		return Client{}, ErrUnknownClient
	}
	c := Client{
		ID:         row.ClientID,
		SecretHash: row.SecretHash,
		Scopes:     strings.Fields(row.Scopes),
		Disabled:   row.IsDisabled,
	}
	if owner != nil {
		c.TenantIdentifier = owner.Identifier
	}
	return c, nil
}

// Keys implements Keys.
func (s *EntStore) Keys(ctx context.Context) ([]StoredKey, error) {
	rows, err := s.store.Ent().IdentitySigningKey.Query().All(ctx)
	if err != nil {
		return nil, err
	}
	keys := make([]StoredKey, len(rows))
	for i, r := range rows {
		keys[i] = StoredKey{
			ID: r.Kid, Algorithm: r.Algorithm,
			PublicKey: r.PublicKey, SealedPrivate: r.PrivateKey, CreatedAt: r.CreatedAt,
		}
	}
	return keys, nil
}

// AddKey implements Keys.
func (s *EntStore) AddKey(ctx context.Context, key StoredKey, deleteBefore time.Time) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.IdentitySigningKey.Delete().Where(identitysigningkey.CreatedAtLT(deleteBefore)).Exec(ctx)
		if err != nil {
			return err
		}
		return tx.IdentitySigningKey.Create().
			SetKid(key.ID).
			SetAlgorithm(key.Algorithm).
			SetPublicKey(key.PublicKey).
			SetPrivateKey(key.SealedPrivate).
			SetCreatedAt(key.CreatedAt).
			Exec(ctx)
	})
}
