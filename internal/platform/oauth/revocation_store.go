package oauth

import (
	"context"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Revoked implements Revocations. A disabled client loses the tokens that it has.
func (s *EntStore) Revoked(ctx context.Context, tokenID, clientID string) (bool, error) {
	var one int
	found, err := store.One(ctx, s.store, []any{&one}, `SELECT 1 FROM identity_revoked_token r WHERE r.token_id = $1
		UNION ALL SELECT 1 FROM identity_client c WHERE c.client_id = $2 AND c.is_disabled = $3 LIMIT 1`, tokenID, clientID, true)
	if err != nil {
		return false, fmt.Errorf("oauth: look for a revocation: %w", err)
	}
	return found, nil
}

// RevokeToken stores that a token is revoked. record is called in the transaction, unless
// the token was revoked before.
func (s *EntStore) RevokeToken(ctx context.Context, t RevokedToken, now time.Time, record ...store.Record) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, err := tx.Exec(ctx, `INSERT INTO identity_revoked_token (token_id, client_id, expires_at, revoked_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (token_id) DO NOTHING`, t.ID, t.ClientID, t.Expires, now)
		if err != nil || n == 0 {
			return err
		}
		return store.RecordAll(ctx, tx, record, "revokedAt")
	})
}

// SweepRevoked deletes the revocations of tokens that have expired everywhere.
func (s *EntStore) SweepRevoked(ctx context.Context, now time.Time) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM identity_revoked_token WHERE expires_at < $1", now.Add(-2*keyring.Leeway))
		return err
	})
}
