package bulkimport

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/bulk"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/store"
)

// markSome notes, with the rows of a chunk, that the flattened hierarchy is behind.
func (r *run) markSome(ctx context.Context, tx *store.Tx, results []bulk.Result) error {
	wrote := slices.ContainsFunc(results, func(x bulk.Result) bool { return x.Outcome == bulk.Created || x.Outcome == bulk.Updated })
	if !wrote {
		return nil
	}
	return r.mark(ctx, tx, r.clock.Now(), hierarchy.ChangedSome)
}

// markAll has the flattened hierarchy rebuilt.
func (r *run) markAll(ctx context.Context, tx *store.Tx, now time.Time) error {
	return r.mark(ctx, tx, now, hierarchy.ChangedAll)
}

func (r *run) mark(ctx context.Context, tx *store.Tx, now time.Time, changed func(ctx context.Context, tx *store.Tx, teamID int64, now time.Time) error) error {
	if !slices.Contains(movers, r.Entity) {
		return nil
	}
	teams, err := store.Collect(ctx, tx, store.ScanOne[int64], "SELECT id FROM agency_team WHERE tenant_id = $1 ORDER BY id", r.tenant.ID)
	if err != nil {
		return err
	}
	for _, team := range teams {
		if err := changed(ctx, tx, team, now); err != nil {
			return err
		}
	}
	return nil
}
