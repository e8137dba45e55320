package identity

import (
	"context"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// below refuses one more when a count has reached its limit.
func below(ctx context.Context, q store.Querier, limit int, message, count string, args ...any) error {
	var n int
	_, err := store.One(ctx, q, []any{&n}, count, args...)
	if err == nil && n >= limit {
		err = problem.Clash(problem.OutOfRange, message).With("max", limit)
	}
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
	if err := below(ctx, w, maxAPIKeys, "A client has at most 20 keys that count", `SELECT count(*) FROM identity_api_key
		WHERE tenant_id = $1 AND client_id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)`, w.Tenant.ID, clientID, w.Now); err != nil {
		return err
	}
	_, err := w.Exec(ctx, `DELETE FROM identity_api_key WHERE tenant_id = $1 AND client_id = $2 AND id IN (SELECT id FROM identity_api_key
		WHERE tenant_id = $1 AND client_id = $2 AND (revoked_at IS NOT NULL OR expires_at <= $3)
		ORDER BY coalesce(revoked_at, expires_at) DESC, id DESC LIMIT 1000 OFFSET $4)`, w.Tenant.ID, clientID, w.Now, maxAPIKeys-1)
	return err
}
