package idempotency

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// About notes the agent that the answer to the attempt in ctx is about, if there is an
// attempt. It is called in the transaction of the change.
func About(ctx context.Context, tx *store.Tx, agentID int64) error {
	a, _ := ctx.Value(attemptKey{}).(*Attempt)
	if a == nil {
		return nil
	}
	return tx.Later(ctx, "UPDATE idempotent_request SET agent_id = $1 WHERE tenant_id = $2 AND subject = $3 AND key = $4",
		agentID, a.tenantID, a.subject, a.key)
}

// Forget deletes the answers about an agent, and those that are still to come, in the
// transaction that deletes the agent. The keys stay until they expire: a repeated request
// is told that its answer is lost, and is not carried out again.
func Forget(ctx context.Context, tx *store.Tx, tenantID, agentID int64) error {
	_, err := tx.Exec(ctx, "UPDATE idempotent_request SET status = $1, response = NULL WHERE tenant_id = $2 AND agent_id = $3",
		forgotten, tenantID, agentID)
	return err
}

// Sweep deletes all rows of the tenant in ctx that are too old.
func (s *Service) Sweep(ctx context.Context) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	before := s.clock.Now().Add(-Kept)
	for {
		var rows int64
		err := s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			rows, err = sweep(ctx, tx, tenantID, before)
			return err
		})
		if err != nil || rows == 0 {
			return err
		}
	}
}

// sweep deletes some rows that are too old. It checks them again once they are locked,
// since another request may have taken an expired key meanwhile.
func sweep(ctx context.Context, tx *store.Tx, tenantID int64, before time.Time) (rows int64, err error) {
	return tx.Exec(ctx, `DELETE FROM idempotent_request WHERE tenant_id = $1 AND created_at < $2 AND (subject, key) IN
		(SELECT subject, key FROM idempotent_request WHERE tenant_id = $1 AND created_at < $2 ORDER BY created_at, subject, key LIMIT $3)`,
		tenantID, before, swept)
}
