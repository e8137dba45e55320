package bulkimport

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/bulk"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/store"
)

// markSome notes, with the rows of a chunk, that the flattened hierarchy is behind:
// an import that is killed and not run again leaves it so for a minute.
func (r *run) markSome(ctx context.Context, tx *store.Tx, results []bulk.Result) error {
	_, moves := r.entity.(Finisher)
	wrote := slices.ContainsFunc(results, func(x bulk.Result) bool { return x.Outcome == bulk.Created || x.Outcome == bulk.Updated })
	if !moves || !wrote {
		return nil
	}
	teams, err := store.Collect(ctx, tx, store.ScanOne[int64], "SELECT id FROM agency_team WHERE tenant_id = $1 ORDER BY id", r.tenant.ID)
	if err != nil {
		return err
	}
	for _, team := range teams {
		if err := hierarchy.ChangedSome(ctx, tx, team, r.clock.Now()); err != nil {
			return err
		}
	}
	return nil
}
