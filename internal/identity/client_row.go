package identity

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

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

func unknownClient() error {
	return problem.Missing(problem.NotFoundCode, "No client has this id", "clientId")
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
