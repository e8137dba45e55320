package webhooks

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/reencryption"
)

// SealedColumns are all that the area encrypts.
func SealedColumns() []reencryption.Column {
	return []reencryption.Column{
		{Table: table, Name: "secret"}, {Table: table, Name: "previous_secret"}, {Table: table, Name: "headers"},
	}
}

// signingSecrets returns the secrets that sign now: the current one, and for a
// day after a rotation the one before it.
func (s *Service) signingSecrets(ctx context.Context, tenantID int64, sub *Subscription) ([]string, error) {
	sealed := [][]byte{sub.sealed.secret}
	if until := sub.PreviousSecretUntil; until != nil && s.Clock.Now().Before(*until) {
		sealed = append(sealed, sub.sealed.previous)
	}
	secrets := make([]string, len(sealed))
	for i, ciphertext := range sealed {
		var err error
		if secrets[i], err = s.Vault.Decrypt(ctx, field(tenantID, sub.ID, "secret"), ciphertext); err != nil {
			return nil, fmt.Errorf("webhooks: secret: %w", err)
		}
	}
	return secrets, nil
}
