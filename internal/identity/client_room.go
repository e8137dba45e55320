package identity

import (
	"context"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
)

// roomForClient refuses a client more than the tenant may have, and one that has
// the name of a user. New clients of a tenant take their turns, and new users wait
// for them: what is not there yet cannot be locked, so the tenant is.
func (w *writing) roomForClient(ctx context.Context, id string) error {
	var n int
	if _, err := store.One(ctx, w, []any{&n}, "SELECT 1 FROM tenant WHERE id = $1"+w.ForDelete(), w.Tenant.ID); err != nil {
		return err
	}
	if err := w.below(ctx, MaxClients, "A tenant has at most 100 clients", "SELECT count(*) FROM identity_client WHERE tenant_id = $1", w.Tenant.ID); err != nil {
		return err
	}
	taken, err := store.One(ctx, w, []any{&n}, "SELECT 1 FROM identity_user WHERE tenant_id = $1 AND username_key = $2", w.Tenant.ID, searchKey(id))
	if err == nil && taken {
		err = problem.Clash(problem.DuplicateKey, "A user has this id as the username", "name")
	}
	return err
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

// holdsAll refuses scopes that the client lacks, by their places.
func (c *Client) holdsAll(scopes []string) error {
	var refused problem.List
	for i, scope := range scopes {
		if !slices.Contains(c.Scopes, scope) {
			refused.Add(problem.Invalid(problem.UnknownScope, "must be among the scopes of the client", "scopes", strconv.Itoa(i)))
		}
	}
	return refused.Err()
}

// roomForKey refuses a key more than a client may have that count, and forgets
// those that ended before the last maxAPIKeys that did: the audit trail has them.
// The client is locked.
func (w *writing) roomForKey(ctx context.Context, clientID int64) error {
	if err := w.below(ctx, maxAPIKeys, "A client has at most 20 keys that count", `SELECT count(*) FROM identity_api_key
		WHERE tenant_id = $1 AND client_id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)`, w.Tenant.ID, clientID, w.Now); err != nil {
		return err
	}
	_, err := w.Exec(ctx, `DELETE FROM identity_api_key WHERE tenant_id = $1 AND client_id = $2 AND id IN (SELECT id FROM identity_api_key
		WHERE tenant_id = $1 AND client_id = $2 AND (revoked_at IS NOT NULL OR expires_at <= $3)
		ORDER BY coalesce(revoked_at, expires_at) DESC, id DESC LIMIT 1000 OFFSET $4)`, w.Tenant.ID, clientID, w.Now, maxAPIKeys-1)
	return err
}
