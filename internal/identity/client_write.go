package identity

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// CreateClient adds a client of the tenant and returns it with its secret, which is shown
// once. A public client has none.
func (s *Service) CreateClient(ctx context.Context, in ClientInput) (client *Client, secret vault.Secret, err error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, "", tenant.ErrNone
	}
	var c inputCheck
	sent := in.Scopes
	c.clientName(in.Name)
	c.client(s, &in)
	var uris []string // null is as good as none
	if in.RedirectURIs.Value != nil {
		uris = *in.RedirectURIs.Value
	}
	c.redirectURIs(s.RedirectProblem, in.IsPublic, uris)
	c.publicKeys(s.PublicKeysProblem, in.IsPublic, in.PublicKeys.Value)
	if err := c.Err(); err != nil {
		return nil, "", err
	}
	if err := mayGrant(ctx, sent); err != nil {
		return nil, "", err
	}
	id := t.Identifier + "." + in.Name
	row := clientRow{id: id, tenantID: &t.ID, description: in.Description.Value, scopes: *in.Scopes.Value, expires: in.ExpiresAt.Value, public: in.IsPublic, uris: uris, keys: orEmpty(in.PublicKeys.Value)}
	if !in.IsPublic && row.keys == "" {
		secret = vault.Secret(s.NewSecret())
		row.hash = s.HashSecret(secret.Reveal())
	}
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		row.created = w.Now
		if err := row.insert(ctx, w.Tx, "name"); err != nil {
			return err
		}
		w.changed(clientEntity, id, in.sent()...)
		client, err = readClient(ctx, w, w.Tenant.ID, id, "")
		return err
	})
	return client, secret, err
}

// sent returns the names of the fields that a new client has.
func (in ClientInput) sent() (fields []string) {
	if in.Description.Value != nil {
		fields = append(fields, "description")
	}
	if in.ExpiresAt.Value != nil {
		fields = append(fields, "expiresAt")
	}
	uris, keys := in.RedirectURIs.Value, in.PublicKeys.Value
	for _, f := range []struct {
		name string
		has  bool
	}{{"isPublic", in.IsPublic}, {"publicKeys", keys != nil && *keys != ""}, {"redirectUris", uris != nil && len(*uris) > 0}} {
		if f.has {
			fields = append(fields, f.name)
		}
	}
	if fields = append(fields, "scopes"); !in.IsPublic && (keys == nil || *keys == "") {
		fields = append(fields, "secret")
	}
	return fields
}

// UpdateClient changes a client. If nothing differs, changed is false and nothing is
// written. The scopes that it has may stay, whoever asks. But a caller who extends its
// life, enables it, or changes its keys or where people are sent back to must hold them all: the
// client may have been stopped because the caller knows its secret, and what people grant
// to it would be sent to the caller's address.
func (s *Service) UpdateClient(ctx context.Context, clientID string, in ClientInput) (client *Client, changed bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		if client, err = w.lockClient(ctx, clientID); err != nil {
			return err
		}
		changed, err = s.reviseClient(ctx, w, client, in)
		return err
	})
	return client, changed, err
}

// reviseClient changes a client that is locked.
func (s *Service) reviseClient(ctx context.Context, w *writing, client *Client, in ClientInput) (changed bool, err error) {
	before, next := *client, in
	var c inputCheck
	c.NotNull(in.RedirectURIs, "redirectUris")
	c.NotNull(in.TrustedDocuments, "trustedDocuments")
	if c.client(s, &next, before.Scopes...); c.Err() != nil {
		return false, c.Err()
	}
	if in.RedirectURIs.Value != nil {
		c.redirectURIs(s.RedirectProblem, client.IsPublic, *in.RedirectURIs.Value)
	}
	if c.publicKeys(s.PublicKeysProblem, client.IsPublic, in.PublicKeys.Value); c.Err() != nil {
		return false, c.Err()
	}
	if err := mayGrant(ctx, in.Scopes, before.Scopes...); err != nil {
		return false, err
	}
	fields := client.revise(next)
	if len(fields) == 0 {
		return false, nil
	}
	if client.revived(&before) || slices.Contains(fields, "redirectUris") || slices.Contains(fields, "publicKeys") {
		if err := mayActAs(ctx, client); err != nil {
			return false, err
		}
	}
	w.changed(clientEntity, client.ClientID, fields...)
	return true, client.save(ctx, w.Tx, w.Now)
}

// revise applies what was sent to the client and returns the names of the fields that
// differ.
func (c *Client) revise(in ClientInput) (fields []string) {
	if description := in.Description.Or(c.Description); !same(description, c.Description) {
		c.Description, fields = description, append(fields, "description")
	}
	if in.Scopes.Value != nil && !sameScopes(*in.Scopes.Value, c.Scopes) {
		c.Scopes, fields = *in.Scopes.Value, append(fields, "scopes")
	}
	if at := in.ExpiresAt.Or(c.ExpiresAt); (at == nil) != (c.ExpiresAt == nil) || at != nil && !at.Equal(*c.ExpiresAt) {
		c.ExpiresAt, fields = at, append(fields, "expiresAt")
	}
	if in.IsDisabled.Value != nil && *in.IsDisabled.Value != c.IsDisabled {
		c.IsDisabled, fields = *in.IsDisabled.Value, append(fields, "isDisabled")
	}
	if in.RedirectURIs.Value != nil && !slices.Equal(*in.RedirectURIs.Value, c.RedirectURIs) {
		c.RedirectURIs, fields = *in.RedirectURIs.Value, append(fields, "redirectUris")
	}
	if keys := orEmpty(in.PublicKeys.Value); in.PublicKeys.Sent && keys != c.PublicKeys {
		c.PublicKeys, fields = keys, append(fields, "publicKeys")
	}
	if in.TrustedDocuments.Value != nil && *in.TrustedDocuments.Value != c.TrustedDocuments {
		c.TrustedDocuments, fields = *in.TrustedDocuments.Value, append(fields, "trustedDocuments")
	}
	return fields
}

// revived reports whether a client may ask for tokens at a time when it could not before:
// it was enabled, or its life extended.
func (c *Client) revived(before *Client) bool {
	longer := before.ExpiresAt != nil && (c.ExpiresAt == nil || c.ExpiresAt.After(*before.ExpiresAt))
	return longer || before.IsDisabled && !c.IsDisabled
}

// SecretOverlap is how long both secrets of a client are valid after a rotation.
const SecretOverlap = 24 * time.Hour

// RotateClientSecret gives a client a new secret and returns it. Since somebody with the
// secret can do what the client can, the caller must hold the client's scopes.
//
// The previous secret stays valid for SecretOverlap; with endPrevious it ends at once,
// and so does the one before it.
func (s *Service) RotateClientSecret(ctx context.Context, clientID string, endPrevious bool) (client *Client, secret vault.Secret, err error) {
	secret = vault.Secret(s.NewSecret())
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		if client, err = w.lockClient(ctx, clientID); err != nil {
			return err
		}
		if err := errors.Join(client.sendsSecret(), mayActAs(ctx, client)); err != nil {
			return err
		}
		overlap := SecretOverlap
		if endPrevious {
			overlap = 0
		}
		w.changed(clientEntity, clientID, "secret")
		return client.rotate(ctx, w.Tx, s.HashSecret(secret.Reveal()), overlap, s.Clock.Now())
	})
	return client, secret, err
}

// DeleteClient removes a client with its keys. Its tokens count no longer, whoever gets its name
// (oauth.Holder).
func (s *Service) DeleteClient(ctx context.Context, clientID string) error {
	return s.write(ctx, func(ctx context.Context, w *writing) error {
		client, err := w.lockClient(ctx, clientID)
		if err != nil {
			return err
		}
		return w.removeClient(ctx, client)
	})
}

// removeClient removes a client that is locked.
func (w *writing) removeClient(ctx context.Context, client *Client) error {
	w.changed(clientEntity, client.ClientID)
	_, err := w.Exec(ctx, "DELETE FROM identity_client WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, client.ID)
	return err
}

func (w *writing) lockClient(ctx context.Context, clientID string) (*Client, error) {
	client, err := readClient(ctx, w, w.Tenant.ID, clientID, w.ForDelete())
	if err == nil && client == nil {
		err = unknownClient()
	}
	if err != nil {
		return nil, err
	}
	return client, w.CheckVersion(ctx, client.LastModified)
}

// hintLength is how much of a key is kept to recognise it by: its prefix and four of 43
// characters.
const hintLength = 8

// CreateAPIKey adds a key of a client and returns it with the key itself, which is shown
// once. Both its client and the caller must hold its scopes.
func (s *Service) CreateAPIKey(ctx context.Context, clientID string, in APIKeyInput) (key *APIKey, secret vault.Secret, err error) {
	var c inputCheck
	in.Name = c.Name(in.Name, maxName, "name")
	sent := patch.Set(in.Scopes)
	in.Scopes = c.someScopes(s.Scopes, in.Scopes)
	c.expiry(in.ExpiresAt, s.Clock.Now())
	if err := c.Err(); err != nil {
		return nil, "", err
	}
	if err := mayGrant(ctx, sent); err != nil {
		return nil, "", err
	}
	secret = vault.Secret(s.NewAPIKey())
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		client, err := w.lockClient(ctx, clientID)
		if err != nil {
			return err
		}
		if err := errors.Join(client.keepsSecret(), client.holdsAll(*sent.Value)); err != nil {
			return err
		}
		if err := w.roomForKey(ctx, client.ID); err != nil {
			return err
		}
		key = &APIKey{UID: uuid.Must(uuid.NewV7()).String(), Name: in.Name, Hint: secret.Reveal()[:hintLength], Scopes: in.Scopes,
			ExpiresAt: in.ExpiresAt, CreatedAt: w.Now, CreatedBy: w.Initiator}
		w.changed(apiKeyEntity, key.UID, in.sent()...)
		_, err = store.One(ctx, w, []any{&key.ID}, `INSERT INTO identity_api_key (uid, tenant_id, client_id, name, hint, key_hash, scopes, expires_at, created_at, created_by)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`, key.UID, w.Tenant.ID, client.ID, key.Name, key.Hint,
			s.HashSecret(secret.Reveal()), strings.Join(key.Scopes, " "), key.ExpiresAt, key.CreatedAt, key.CreatedBy)
		return err
	})
	return key, secret, err
}

// sent returns the names of the fields that a new key has.
func (in APIKeyInput) sent() []string {
	if in.ExpiresAt == nil {
		return []string{"clientId", "name", "scopes"}
	}
	return []string{"clientId", "expiresAt", "name", "scopes"}
}

// RevokeAPIKey revokes a key. changed is false for a key that is already revoked.
func (s *Service) RevokeAPIKey(ctx context.Context, uid string) (key *APIKey, changed bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		found, err := store.Collect(ctx, w, func(row store.Scanner) (*APIKey, error) {
			k := new(APIKey)
			return k, k.scan(row)
		}, "SELECT "+apiKeyColumns+" FROM identity_api_key k WHERE k.tenant_id = $1 AND k.uid = $2"+w.ForUpdate(), w.Tenant.ID, uid)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return problem.Missing(problem.NotFoundCode, "No API key has this id", "id")
		}
		if key, changed = found[0], found[0].RevokedAt == nil; !changed {
			return nil
		}
		key.RevokedAt = &w.Now
		w.changed(apiKeyEntity, uid, "revokedAt")
		_, err = w.Exec(ctx, "UPDATE identity_api_key SET revoked_at = $1 WHERE tenant_id = $2 AND id = $3", w.Now, w.Tenant.ID, key.ID)
		return err
	})
	return key, changed, err
}
