package oauth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/identityclient"
	"github.com/uplinehq/upline/ent/db/identitysigningkey"
	"github.com/uplinehq/upline/ent/db/tenant"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/store"
)

// EntStore keeps clients and keys in the database. It implements Clients, APIKeys,
// Revocations and keyring.Store. The tables belong to the platform, since a request for a token
// has no tenant yet.
type EntStore struct{ store *store.Store }

// NewEntStore returns a store on a database.
func NewEntStore(s *store.Store) *EntStore { return &EntStore{s} }

// Client implements Clients. It always looks for a tenant as well: the time of one more
// query would otherwise tell an unknown client from a wrong secret.
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
		Row:        row.ID,
		Since:      row.CreatedAt,
		SecretHash: row.SecretHash,
		Scopes:     strings.Fields(row.Scopes),
		Disabled:   row.IsDisabled,
		Public:     row.IsPublic, RedirectURIs: strings.Fields(row.RedirectUris),

		PreviousUntil: row.PreviousSecretUntil, Expires: row.ExpiresAt, LastUsed: row.LastUsedAt,
	}
	if row.PreviousSecretHash != nil {
		c.PreviousSecretHash = *row.PreviousSecretHash
	}
	if owner != nil {
		c.TenantIdentifier = owner.Identifier
	}
	return c, nil
}

// ClientUsed implements Clients.
func (s *EntStore) ClientUsed(ctx context.Context, clientID string, at time.Time) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.IdentityClient.Update().Where(identityclient.ClientID(clientID), identityclient.Or(identityclient.LastUsedAtIsNil(), identityclient.LastUsedAtLT(at))).
			SetLastUsedAt(at).Save(ctx)
		return err
	})
}

// APIKey implements APIKeys. The key has only scopes that its client has, too.
func (s *EntStore) APIKey(ctx context.Context, hash []byte) (APIKey, error) {
	var (
		k                    APIKey
		ofKey, ofClient      string
		expires, clientUntil *time.Time
	)
	found, err := store.One(ctx, s.store, []any{&k.ID, &k.UID, &ofKey, &expires, &k.LastUsed, &k.ClientID, &k.Since, &ofClient, &clientUntil, &k.TenantIdentifier},
		`SELECT k.id, k.uid, k.scopes, k.expires_at, k.last_used_at, c.client_id, c.created_at, c.scopes, c.expires_at, t.identifier
		FROM identity_api_key k JOIN identity_client c ON c.id = k.client_id AND c.tenant_id = k.tenant_id JOIN tenant t ON t.id = k.tenant_id
		WHERE k.key_hash = $1 AND k.revoked_at IS NULL AND c.is_disabled = $2`, hash, false)
	switch {
	case err != nil:
		return APIKey{}, fmt.Errorf("oauth: read API key: %w", err)
	case !found:
		return APIKey{}, ErrUnknownKey
	}
	if k.Expires = expires; expires == nil || clientUntil != nil && clientUntil.Before(*expires) {
		k.Expires = clientUntil
	}
	held := strings.Fields(ofClient)
	k.Scopes = slices.DeleteFunc(strings.Fields(ofKey), func(scope string) bool { return !slices.Contains(held, scope) })
	return k, nil
}

// APIKeyUsed implements APIKeys.
func (s *EntStore) APIKeyUsed(ctx context.Context, id int64, at time.Time) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE identity_api_key SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)", at, id)
		return err
	})
}

// Keys implements keyring.Store.
func (s *EntStore) Keys(ctx context.Context) ([]keyring.StoredKey, error) {
	rows, err := s.store.Ent().IdentitySigningKey.Query().All(ctx)
	if err != nil {
		return nil, err
	}
	keys := make([]keyring.StoredKey, len(rows))
	for i, r := range rows {
		keys[i] = keyring.StoredKey{
			ID: r.Kid, Algorithm: r.Algorithm,
			PublicKey: r.PublicKey, SealedPrivate: r.PrivateKey, CreatedAt: r.CreatedAt,
		}
	}
	return keys, nil
}

// AddKey implements keyring.Store.
func (s *EntStore) AddKey(ctx context.Context, key keyring.StoredKey, deleteBefore time.Time) error {
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
