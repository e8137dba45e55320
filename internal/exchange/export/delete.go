package export

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/change"
)

// Delete deletes the file of an export of the context's caller, and cancels an export
// that is not done. deleted is false when there was nothing to delete or to cancel.
func (s *Service) Delete(ctx context.Context, id int64) (deleted bool, err error) {
	e, err := s.Export(ctx, id)
	if err != nil {
		return false, err
	}
	if e == nil {
		return false, unknown("id")
	}
	err = s.write(ctx, func(ctx context.Context, w *change.Writing) error {
		n, err := w.Exec(ctx, `UPDATE export SET status = 'EXPIRED', holder = NULL, held_until = NULL, request = NULL, finished_at = coalesce(finished_at, $3), expires_at = $3,
			version = version + 1 WHERE tenant_id = $1 AND id = $2 AND status IN ('QUEUED', 'RUNNING', 'COMPLETED')`, w.Tenant.ID, e.ID, w.Now)
		if deleted = n > 0; err != nil || !deleted {
			return err
		}
		w.Changed("Export", e.UID, "file")
		w.Signal(changed, w.Tenant.ID)
		return deleteChunks(ctx, w.Tx, w.Tenant.ID, e.ID)
	})
	return deleted && err == nil, err
}
