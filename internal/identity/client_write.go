package identity

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/vault"
)

// CreateClient adds a client of the tenant and returns it with its secret, which
// is shown once.
func (s *Service) CreateClient(ctx context.Context, in ClientInput) (client *Client, secret vault.Secret, err error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, "", tenant.ErrNone
	}
	var c check
	c.clientName(in.Name)
	c.client(s, &in)
	if err := c.Err(); err != nil {
		return nil, "", err
	}
	if err := s.mayGrant(ctx, *in.Scopes.Value); err != nil {
		return nil, "", err
	}
	id := t.Identifier + "." + in.Name
	secret = vault.Secret(s.NewSecret())
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		if err := w.below(ctx, maxClients, "A tenant has at most 100 clients", "SELECT count(*) FROM identity_client WHERE tenant_id = $1", w.tenantID); err != nil {
			return err
		}
		err := w.IdentityClient.Create().SetClientID(id).SetTenantID(w.tenantID).SetSecretHash(s.HashSecret(secret.Reveal())).
			SetScopes(strings.Join(*in.Scopes.Value, " ")).SetNillableDescription(in.Description.Value).SetNillableExpiresAt(in.ExpiresAt.Value).
			SetIsDisabled(false).SetCreatedAt(w.now).Exec(ctx)
		if store.IsUniqueViolation(err, "identity_client_client_id_key", "identity_client.client_id") {
			return problem.Clash(problem.DuplicateKey, "Another client has this name", "name")
		}
		if err != nil {
			return err
		}
		w.changed(clientEntity, id, "description", "expiresAt", "scopes", "secret")
		client, err = readClient(ctx, w, w.tenantID, id, "")
		return err
	})
	return client, secret, err
}

// below refuses when a count has reached its limit.
func (w *writing) below(ctx context.Context, limit int, message, count string, args ...any) error {
	var n int
	_, err := store.One(ctx, w, []any{&n}, count, args...)
	if err == nil && n >= limit {
		err = problem.Clash(problem.OutOfRange, message).With("max", limit)
	}
	return err
}

// UpdateClient changes a client. changed is false when everything sent was
// already so; nothing is then written. Scopes that it has may stay, whoever
// asks.
func (s *Service) UpdateClient(ctx context.Context, clientID string, in ClientInput) (client *Client, changed bool, err error) {
	var c check
	c.client(s, &in)
	if err := c.Err(); err != nil {
		return nil, false, err
	}
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		if client, err = w.lockClient(ctx, clientID); err != nil {
			return err
		}
		if in.Scopes.Value != nil {
			added := slices.DeleteFunc(slices.Clone(*in.Scopes.Value), func(scope string) bool { return slices.Contains(client.Scopes, scope) })
			if err := s.mayGrant(ctx, added); err != nil {
				return err
			}
		}
		fields := client.revise(in)
		if changed = len(fields) > 0; !changed {
			return nil
		}
		w.changed(clientEntity, clientID, fields...)
		_, err := w.Exec(ctx, `UPDATE identity_client SET description = $1, scopes = $2, expires_at = $3, is_disabled = $4 WHERE tenant_id = $5 AND id = $6`,
			client.Description, strings.Join(client.Scopes, " "), client.ExpiresAt, client.IsDisabled, w.tenantID, client.ID)
		return err
	})
	return client, changed, err
}

// revise puts what was sent into the client and names the fields that differ.
func (c *Client) revise(in ClientInput) (fields []string) {
	if description := in.Description.Or(c.Description); !same(description, c.Description) {
		c.Description, fields = description, append(fields, "description")
	}
	if in.Scopes.Value != nil && !slices.Equal(*in.Scopes.Value, c.Scopes) {
		c.Scopes, fields = *in.Scopes.Value, append(fields, "scopes")
	}
	if at := in.ExpiresAt.Or(c.ExpiresAt); (at == nil) != (c.ExpiresAt == nil) || at != nil && !at.Equal(*c.ExpiresAt) {
		c.ExpiresAt, fields = at, append(fields, "expiresAt")
	}
	if in.IsDisabled.Value != nil && *in.IsDisabled.Value != c.IsDisabled {
		c.IsDisabled, fields = *in.IsDisabled.Value, append(fields, "isDisabled")
	}
	return fields
}

// SecretOverlap is how long both secrets of a client count after a rotation.
const SecretOverlap = 24 * time.Hour

// RotateClientSecret gives a client a new secret and returns it. Who gets it can
// do what the client can, so that the caller must hold the same scopes.
func (s *Service) RotateClientSecret(ctx context.Context, clientID string) (client *Client, secret vault.Secret, err error) {
	secret = vault.Secret(s.NewSecret())
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		if client, err = w.lockClient(ctx, clientID); err != nil {
			return err
		}
		if err := holdsAll(ctx, client.Scopes); err != nil {
			return err
		}
		until := w.now.Add(SecretOverlap)
		client.PreviousSecretUntil = &until
		w.changed(clientEntity, clientID, "secret")
		_, err := w.Exec(ctx, `UPDATE identity_client SET previous_secret_hash = secret_hash, previous_secret_until = $1, secret_hash = $2
			WHERE tenant_id = $3 AND id = $4`, until, s.HashSecret(secret.Reveal()), w.tenantID, client.ID)
		return err
	})
	return client, secret, err
}

// DeleteClient removes a client with its keys. The tokens it holds run out within
// the hour.
func (s *Service) DeleteClient(ctx context.Context, clientID string) error {
	return s.write(ctx, func(ctx context.Context, w *writing) error {
		client, err := w.lockClient(ctx, clientID)
		if err != nil {
			return err
		}
		w.changed(clientEntity, clientID)
		_, err = w.Exec(ctx, "DELETE FROM identity_client WHERE tenant_id = $1 AND id = $2", w.tenantID, client.ID)
		return err
	})
}

func (w *writing) lockClient(ctx context.Context, clientID string) (*Client, error) {
	client, err := readClient(ctx, w, w.tenantID, clientID, w.ForDelete())
	if err == nil && client == nil {
		err = problem.Missing(problem.NotFoundCode, "No client has this id", "clientId")
	}
	return client, err
}

// hintLength is how much of a key is kept to know it by: its prefix and four
// characters of 43.
const hintLength = 8

// CreateAPIKey adds a key of a client and returns it with the key itself, which is
// shown once. It can do what its client can, and the caller.
func (s *Service) CreateAPIKey(ctx context.Context, clientID string, in APIKeyInput) (key *APIKey, secret vault.Secret, err error) {
	var c check
	in.Name = c.keyName(in.Name)
	c.someScopes(s, &in.Scopes)
	c.expiry(in.ExpiresAt, s.Clock.Now())
	if err := c.Err(); err != nil {
		return nil, "", err
	}
	if err := s.mayGrant(ctx, in.Scopes); err != nil {
		return nil, "", err
	}
	secret = vault.Secret(s.NewAPIKey())
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		client, err := w.lockClient(ctx, clientID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(in.Scopes, func(scope string) bool { return !slices.Contains(client.Scopes, scope) }) {
			return problem.Invalid(problem.UnknownScope, "must be among the scopes of the client", "scopes")
		}
		if err := w.below(ctx, maxAPIKeys, "A client has at most 20 keys that are not revoked",
			"SELECT count(*) FROM identity_api_key WHERE tenant_id = $1 AND client_id = $2 AND revoked_at IS NULL", w.tenantID, client.ID); err != nil {
			return err
		}
		key = &APIKey{UID: uuid.Must(uuid.NewV7()).String(), Name: in.Name, Hint: secret.Reveal()[:hintLength], Scopes: in.Scopes,
			ExpiresAt: in.ExpiresAt, CreatedAt: w.now, CreatedBy: w.initiator}
		w.changed(apiKeyEntity, key.UID, "clientId", "expiresAt", "name", "scopes")
		_, err = store.One(ctx, w, []any{&key.ID}, `INSERT INTO identity_api_key (uid, tenant_id, client_id, name, hint, key_hash, scopes, expires_at, created_at, created_by)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`, key.UID, w.tenantID, client.ID, key.Name, key.Hint,
			s.HashSecret(secret.Reveal()), strings.Join(key.Scopes, " "), key.ExpiresAt, key.CreatedAt, key.CreatedBy)
		return err
	})
	return key, secret, err
}

// RevokeAPIKey makes a key count no more. changed is false for one that is revoked
// already.
func (s *Service) RevokeAPIKey(ctx context.Context, uid string) (key *APIKey, changed bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		found, err := store.Collect(ctx, w, func(row store.Scanner) (*APIKey, error) {
			k := new(APIKey)
			return k, k.scan(row)
		}, "SELECT "+apiKeyColumns+" FROM identity_api_key k WHERE k.tenant_id = $1 AND k.uid = $2"+w.ForUpdate(), w.tenantID, uid)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return problem.Missing(problem.NotFoundCode, "No API key has this id", "id")
		}
		if key, changed = found[0], found[0].RevokedAt == nil; !changed {
			return nil
		}
		key.RevokedAt = &w.now
		w.changed(apiKeyEntity, uid, "revokedAt")
		_, err = w.Exec(ctx, "UPDATE identity_api_key SET revoked_at = $1 WHERE tenant_id = $2 AND id = $3", w.now, w.tenantID, key.ID)
		return err
	})
	return key, changed, err
}
