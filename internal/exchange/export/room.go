package export

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

const (
	// mostFiles bounds the files of a tenant, finished or not. largestFiles bounds their
	// size together, in files of the largest size.
	mostFiles    = 50
	largestFiles = 4
)

// lockFiles lets one transaction at a time add to the files of a tenant. Without it two
// at the same moment would count the same free space.
func lockFiles(ctx context.Context, tx *store.Tx, tenantID int64) error {
	var id int64
	_, err := store.One(ctx, tx, []any{&id}, "SELECT id FROM tenant WHERE id = $1"+tx.ForUpdate(), tenantID)
	return err
}

// hasRoom refuses an export when the tenant has mostFiles files. An expired file counts
// until the sweep has deleted it.
func (s *Service) hasRoom(ctx context.Context, w *change.Writing) error {
	var n int
	_, err := store.One(ctx, w, []any{&n}, "SELECT count(*) FROM export e WHERE e.tenant_id = $1 AND e.status IN ('QUEUED', 'RUNNING', 'COMPLETED')", w.Tenant.ID)
	if err == nil && n >= mostFiles {
		return &problem.Error{Category: problem.Unavailable, Code: problem.UnavailableCode,
			Message: fmt.Sprintf("The agency has %d exported files, and may have %d at a time, each of which is kept for %s; delete some (exportDelete), or wait until some have expired", n, mostFiles, s.Keep), Details: map[string]any{"max": mostFiles}}
	}
	return err
}

// fits ends a run when its file, as far as the transaction has stored it, makes the files
// of the tenant too large together. How large a file becomes is not known before.
func (r *run) fits(ctx context.Context, tx *store.Tx) error {
	if err := lockFiles(ctx, tx, r.tenant.ID); err != nil {
		return err
	}
	var size int64
	_, err := store.One(ctx, tx, []any{&size}, `SELECT CAST(coalesce(sum(e.size), 0) AS bigint) FROM export e
		WHERE e.tenant_id = $1 AND e.status IN ('RUNNING', 'COMPLETED')`, r.tenant.ID)
	if most := largestFiles * r.Bytes; err == nil && size > most {
		err = problem.Invalid(problem.UnavailableCode, fmt.Sprintf("with it, the exported files of the agency would have more than %d bytes in all, the most that they may have: delete some (exportDelete), or wait until some have expired", most))
	}
	return err
}
