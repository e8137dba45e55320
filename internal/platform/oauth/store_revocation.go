package oauth

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Holder implements Revocations.
func (s *Tables) Holder(ctx context.Context, token bearer.Claims, now time.Time) (h Holder, counts bool, err error) {
	var scopes string
	counts, err = store.One(ctx, s.store, []any{&scopes, &h.Since}, `SELECT c.scopes, c.created_at FROM identity_client c
		WHERE c.client_id = $1 AND (c.id = $2 OR $2 = 0) AND c.is_disabled = $3 AND (c.expires_at IS NULL OR c.expires_at > $4)
			AND NOT EXISTS (SELECT 1 FROM identity_revoked_token r WHERE r.token_id = $5)`, token.ClientID, token.Client, false, now, token.ID)
	if err != nil {
		return h, false, fmt.Errorf("oauth: look for the client of a token: %w", err)
	}
	h.Scopes = strings.Fields(scopes)
	return h, counts, nil
}

// RevokeToken stores that a token is revoked. record is called in the transaction, unless
// the token was revoked before.
func (s *Tables) RevokeToken(ctx context.Context, t RevokedToken, now time.Time, record ...store.Record) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if fresh, err := spend(ctx, tx, t, now); err != nil || !fresh {
			return err
		}
		return store.RecordAll(ctx, tx, record, "revokedAt")
	})
}

// Spend implements Assertions: an assertion that was used is as good as revoked.
func (s *Tables) Spend(ctx context.Context, used RevokedToken, now time.Time) (fresh bool, err error) {
	return fresh, s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		fresh, err = spend(ctx, tx, used, now)
		return err
	})
}

func spend(ctx context.Context, tx *store.Tx, t RevokedToken, now time.Time) (fresh bool, err error) {
	n, err := tx.Exec(ctx, `INSERT INTO identity_revoked_token (token_id, client_id, expires_at, revoked_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (token_id) DO NOTHING`, t.ID, t.ClientID, t.Expires, now)
	return n > 0, err
}

// SweepRevoked deletes the revocations of tokens that have expired everywhere.
func (s *Tables) SweepRevoked(ctx context.Context, now time.Time) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM identity_revoked_token WHERE expires_at < $1", now.Add(-2*keyring.Leeway))
		return err
	})
}
