package idempotency

import (
	"bytes"
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// find returns the answer to an earlier request with the key, or what else became of it;
// nothing if there was none.
func (a *Attempt) find(ctx context.Context) (*Answer, error) {
	var (
		fingerprint, sealed []byte
		createdAt           time.Time
		status              *int
	)
	now := a.service.clock.Now()
	found, err := store.One(ctx, a.service.store, []any{&fingerprint, &createdAt, &status, &sealed},
		`SELECT fingerprint, created_at, status, response FROM idempotent_request
		WHERE tenant_id = $1 AND subject = $2 AND key = $3 AND created_at >= $4`, a.tenantID, a.subject, a.key, a.from(now))
	switch {
	case err != nil || !found:
		return nil, err
	case !bytes.Equal(fingerprint, a.fingerprint):
		return nil, ErrReused
	case sealed != nil:
		response, err := a.service.vault.Decrypt(ctx, a.field(), sealed)
		return &Answer{Status: *status, Response: []byte(response)}, err
	case status == nil && now.Sub(createdAt) <= answerTime:
		return nil, ErrInProgress
	default:
		return nil, ErrAnswerLost
	}
}

// field names the encrypted field of the answer, which may hold sensitive values. A key
// has no blanks, so the last blank ends the subject.
func (a *Attempt) field() vault.Field {
	return vault.Field{TenantID: a.tenantID, Table: table, Column: "response", RowKey: a.subject + " " + a.key}
}
