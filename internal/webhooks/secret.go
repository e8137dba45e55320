package webhooks

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
)

// SealedColumns are all columns that the area encrypts.
func SealedColumns() []reencryption.Column {
	return []reencryption.Column{
		{Table: table, Name: "secret"}, {Table: table, Name: "previous_secret", From: "secret"}, {Table: table, Name: "headers"},
	}
}

// signingSecrets returns the secrets that sign now: the current one and, for a day after
// a rotation, the previous one.
func (s *registry) signingSecrets(ctx context.Context, tenantID int64, sub *Subscription) ([]string, error) {
	sealed := [][]byte{sub.sealed.secret}
	if s.previousSigns(sub) {
		sealed = append(sealed, sub.sealed.previous)
	}
	secrets := make([]string, len(sealed))
	for i, ciphertext := range sealed {
		var err error
		if secrets[i], err = s.vault.Decrypt(ctx, field(tenantID, sub.ID, "secret"), ciphertext); err != nil {
			return nil, fmt.Errorf("webhooks: secret: %w", err)
		}
	}
	return secrets, nil
}

// forgetSecrets deletes the secrets of a tenant that no longer sign.
func (s *registry) forgetSecrets(ctx context.Context, tenantID int64) error {
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE webhook_subscription SET previous_secret = NULL, previous_secret_until = NULL WHERE tenant_id = $1 AND previous_secret_until <= $2",
			tenantID, s.clock.Now())
		return err
	})
}
