package identity

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// CreateClient adds a client of the tenant and returns it with its secret, which is shown
// once. A public client has none.
func (s *clients) CreateClient(ctx context.Context, in ClientInput) (client *Client, secret vault.Secret, err error) {
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
func (s *clients) UpdateClient(ctx context.Context, clientID string, in ClientInput) (client *Client, changed bool, err error) {
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
func (s *clients) reviseClient(ctx context.Context, w *writing, client *Client, in ClientInput) (changed bool, err error) {
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
func (s *clients) RotateClientSecret(ctx context.Context, clientID string, endPrevious bool) (client *Client, secret vault.Secret, err error) {
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
		return client.rotate(ctx, w.Tx, s.HashSecret(secret.Reveal()), overlap, s.clock.Now())
	})
	return client, secret, err
}

// DeleteClient removes a client with its keys. Its tokens count no longer, whoever gets its name
// (oauth.Holder).
func (s *clients) DeleteClient(ctx context.Context, clientID string) error {
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

// hintLength is how much of a key is kept to recognise it by: its prefix and four of 43
// characters.
const hintLength = 8

// CreateAPIKey adds a key of a client and returns it with the key itself, which is shown
// once. Both its client and the caller must hold its scopes.
func (s *clients) CreateAPIKey(ctx context.Context, clientID string, in APIKeyInput) (key *APIKey, secret vault.Secret, err error) {
	var c inputCheck
	in.Name = c.Name(in.Name, maxName, "name")
	sent := patch.Set(in.Scopes)
	in.Scopes = c.someScopes(s.scopes, in.Scopes)
	c.expiry(in.ExpiresAt, s.clock.Now())
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
func (s *clients) RevokeAPIKey(ctx context.Context, uid string) (key *APIKey, changed bool, err error) {
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

// clientRow is a client to be stored, by a tenant's administration or by the operator.
type clientRow struct {
	id          string
	tenantID    *int64 // nil for the platform's
	hash        []byte // hash of its secret, nil for none
	description *string
	scopes      []string
	expires     *time.Time
	public      bool
	uris        []string
	keys        string
	created     time.Time
}

// insert adds a client. It refuses one above the maximum of the tenant, and an id that is
// in use: by another client, or as the username of a user of a tenant in which the client
// may act, since both are subjects of tokens (RFC 9068, 5). field is the input that the
// id comes from.
func (r *clientRow) insert(ctx context.Context, tx *store.Tx, field string) error {
	if err := r.room(ctx, tx, field); err != nil {
		return err
	}
	if r.hash == nil {
		r.hash = []byte{} // the hash of nothing
	}
	_, err := tx.Insert(ctx, "identity_client", []string{"client_id", "tenant_id", "secret_hash", "is_public", "redirect_uris", "public_keys", "scopes", "description",
		"expires_at", "is_disabled", "created_at", "last_modified"},
		r.id, r.tenantID, r.hash, r.public, strings.Join(r.uris, " "), r.keys, strings.Join(r.scopes, " "), r.description, r.expires, false, r.created, r.created)
	if dberror.IsUniqueViolation(err, "identity_client_client_id_key", "identity_client.client_id") {
		return problem.Clash(problem.DuplicateKey, "Another client has this "+field, field)
	}
	return err
}

// room checks that there is room for the client. New clients of a tenant are added one
// after the other, and new users wait for them. It locks the tenant, since a row that
// does not exist yet cannot be locked.
func (r *clientRow) room(ctx context.Context, tx *store.Tx, field string) error {
	if r.tenantID != nil {
		var n int
		if _, err := store.One(ctx, tx, []any{&n}, "SELECT 1 FROM tenant WHERE id = $1"+tx.ForDelete(), *r.tenantID); err != nil {
			return err
		}
		if err := change.Below(ctx, tx, MaxClients, "A tenant has at most 100 clients", "SELECT count(*) FROM identity_client WHERE tenant_id = $1", *r.tenantID); err != nil {
			return err
		}
		return r.isNobody(ctx, tx, *r.tenantID, field)
	}
	all, err := store.Collect(ctx, tx, store.ScanOne[int64], "SELECT id FROM tenant")
	for _, id := range all {
		if err := r.isNobody(ctx, tx, id, field); err != nil {
			return err
		}
	}
	return err
}

// isNobody refuses an id that is the username of a user of a tenant.
func (r *clientRow) isNobody(ctx context.Context, tx *store.Tx, tenantID int64, field string) error {
	var n int
	taken, err := store.One(tenant.With(ctx, &tenant.Tenant{ID: tenantID}), tx, []any{&n},
		"SELECT 1 FROM identity_user WHERE tenant_id = $1 AND username_key = $2", tenantID, searchKey(r.id))
	if err == nil && taken {
		err = problem.Clash(problem.DuplicateKey, "A user has this id as the username", field)
	}
	return err
}

// save stores what revise has changed of a client, at an instant.
func (c *Client) save(ctx context.Context, tx *store.Tx, now time.Time) error {
	c.LastModified = version.Next(c.LastModified, now)
	_, err := tx.Exec(ctx, `UPDATE identity_client SET description = $1, scopes = $2, expires_at = $3, is_disabled = $4, redirect_uris = $5, trusted_documents = $6, public_keys = $7, last_modified = $8
		WHERE tenant_id IS NOT DISTINCT FROM $9 AND id = $10`,
		c.Description, strings.Join(c.Scopes, " "), c.ExpiresAt, c.IsDisabled, strings.Join(c.RedirectURIs, " "), c.TrustedDocuments, c.PublicKeys, c.LastModified, c.tenantID, c.ID)
	return err
}

// rotate gives a client a new secret. The previous one stays valid for an overlap, so
// that its holders can change over one by one. Only one previous secret can be valid:
// until it expires, another rotation is refused, since it would end the secret that most
// holders still use. With an overlap of 0, all secrets but the new one end at once.
func (c *Client) rotate(ctx context.Context, tx *store.Tx, hash []byte, overlap time.Duration, now time.Time) error {
	if err := c.sendsSecret(); err != nil {
		return err
	}
	if until := c.PreviousSecretUntil; overlap > 0 && until != nil && now.Before(*until) {
		return problem.Clash(problem.PreviousSecretCounts, "Another secret before the current one counts still; wait until it does not, or end both")
	}
	c.PreviousSecretUntil, c.LastModified = nil, version.Next(c.LastModified, now)
	if overlap > 0 {
		c.PreviousSecretUntil = new(now.Add(overlap))
	}
	_, err := tx.Exec(ctx, `UPDATE identity_client SET previous_secret_hash = CASE WHEN $1 THEN NULL ELSE secret_hash END, previous_secret_until = $2,
		secret_hash = $3, last_modified = $4 WHERE tenant_id IS NOT DISTINCT FROM $5 AND id = $6`, overlap <= 0, c.PreviousSecretUntil, hash, c.LastModified, c.tenantID, c.ID)
	return err
}

// holdsAll refuses scopes that the client lacks, by their indexes.
func (c *Client) holdsAll(scopes []string) error {
	var refused problem.List
	for i, scope := range scopes {
		if !slices.Contains(c.Scopes, scope) {
			refused.Add(problem.Invalid(problem.UnknownScope, "must be among the scopes of the client", "scopes", strconv.Itoa(i)))
		}
	}
	return refused.Err()
}

// roomForKey refuses a key if the client has its maximum of valid ones, and deletes
// invalid keys but the last maxAPIKeys; the audit trail has them. The client is locked.
func (w *writing) roomForKey(ctx context.Context, clientID int64) error {
	if err := change.Below(ctx, w, maxAPIKeys, "A client has at most 20 keys that count", `SELECT count(*) FROM identity_api_key
		WHERE tenant_id = $1 AND client_id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)`, w.Tenant.ID, clientID, w.Now); err != nil {
		return err
	}
	_, err := w.Exec(ctx, `DELETE FROM identity_api_key WHERE tenant_id = $1 AND client_id = $2 AND id IN (SELECT id FROM identity_api_key
		WHERE tenant_id = $1 AND client_id = $2 AND (revoked_at IS NOT NULL OR expires_at <= $3)
		ORDER BY coalesce(revoked_at, expires_at) DESC, id DESC LIMIT 1000 OFFSET $4)`, w.Tenant.ID, clientID, w.Now, maxAPIKeys-1)
	return err
}
