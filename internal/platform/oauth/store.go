package oauth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Tables keeps clients and keys in the database. It implements Clients, APIKeys,
// Revocations and keyring.Store. The tables belong to the platform, since a request for a token
// has no tenant yet.
type Tables struct{ store *store.Store }

// NewTables returns the tables of a database.
func NewTables(s *store.Store) *Tables { return &Tables{s} }

// Client implements Clients. It always looks for a tenant as well: the time of one more
// query would otherwise tell an unknown client from a wrong secret.
func (s *Tables) Client(ctx context.Context, clientID string) (Client, error) {
	var (
		c            Client
		tenantID     int64 // no tenant has 0
		scopes, uris string
	)
	known, err := store.One(ctx, s.store, []any{&c.ID, &c.Row, &tenantID, &c.Since, &c.SecretHash, &c.PreviousSecretHash, &c.PreviousUntil, &scopes,
		&c.Disabled, &c.Public, &uris, &c.Expires, &c.LastUsed, &c.PublicKeys},
		`SELECT client_id, id, coalesce(tenant_id, 0), created_at, secret_hash, previous_secret_hash, previous_secret_until, scopes,
			is_disabled, is_public, redirect_uris, expires_at, last_used_at, public_keys
		FROM identity_client WHERE client_id = $1`, clientID)
	if err != nil {
		return Client{}, fmt.Errorf("oauth: read client: %w", err)
	}
	owned, err := store.One(ctx, s.store, []any{&c.TenantIdentifier}, "SELECT identifier FROM tenant WHERE id = $1", tenantID)
	// Only clients of the platform have no tenant. An empty identifier would turn
	// any other client into one of them.
	if err == nil && tenantID != 0 && !owned {
		err = errors.New("there is none")
	}
	if err != nil {
		return Client{}, fmt.Errorf("oauth: read the client's tenant: %w", err)
	}
	if !known {
		return Client{}, ErrUnknownClient
	}
	c.Scopes, c.RedirectURIs = strings.Fields(scopes), strings.Fields(uris)
	return c, nil
}

// ClientUsed implements Clients.
func (s *Tables) ClientUsed(ctx context.Context, clientID string, at time.Time) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE identity_client SET last_used_at = $1 WHERE client_id = $2 AND (last_used_at IS NULL OR last_used_at < $1)", at, clientID)
		return err
	})
}

// APIKey implements APIKeys. The key has only scopes that its client has, too.
func (s *Tables) APIKey(ctx context.Context, hash []byte) (APIKey, error) {
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
func (s *Tables) APIKeyUsed(ctx context.Context, id int64, at time.Time) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE identity_api_key SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)", at, id)
		return err
	})
}

// Keys implements keyring.Store.
func (s *Tables) Keys(ctx context.Context) ([]keyring.StoredKey, error) {
	return store.Collect(ctx, s.store, func(row store.Scanner) (k keyring.StoredKey, err error) {
		err = row.Scan(&k.ID, &k.Algorithm, &k.PublicKey, &k.SealedPrivate, &k.CreatedAt)
		return k, err
	}, "SELECT kid, algorithm, public_key, private_key, created_at FROM identity_signing_key")
}

// AddKey implements keyring.Store.
func (s *Tables) AddKey(ctx context.Context, key keyring.StoredKey, deleteBefore time.Time) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM identity_signing_key WHERE created_at < $1", deleteBefore); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO identity_signing_key (kid, algorithm, public_key, private_key, created_at) VALUES ($1, $2, $3, $4, $5)",
			key.ID, key.Algorithm, key.PublicKey, key.SealedPrivate, key.CreatedAt)
		return err
	})
}
