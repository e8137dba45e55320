package export

import (
	"context"
	"errors"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// forgetAfter is how long the row of an export is kept after its end.
const forgetAfter = 30 * 24 * time.Hour

// Sweep deletes the expired files of the context's tenant, and exports that ended more
// than forgetAfter ago.
func (s *Service) Sweep(ctx context.Context) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	now := s.Clock.Now()
	over, err := store.Collect(ctx, s.Store, store.ScanOne[int64],
		"SELECT e.id FROM export e WHERE e.tenant_id = $1 AND e.status = 'COMPLETED' AND e.expires_at <= $2", tenantID, now)
	for _, id := range over {
		err = errors.Join(err, s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			tx.Signal(changed, tenantID)
			if _, err := tx.Exec(ctx, "UPDATE export SET status = 'EXPIRED', version = version + 1 WHERE tenant_id = $1 AND id = $2 AND status = 'COMPLETED'", tenantID, id); err != nil {
				return err
			}
			return deleteChunks(ctx, tx, tenantID, id)
		}))
	}
	return errors.Join(err, s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM export WHERE tenant_id = $1 AND finished_at <= $2 AND status IN ('EXPIRED', 'FAILED')", tenantID, now.Add(-forgetAfter))
		return err
	}))
}
