package hierarchy

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// everyAgent stands for all agents of the team in hierarchy_change.
const everyAgent = 0

// Changed records, in the transaction of the change, that upline periods of agents were
// written or removed, and asks for a rebuild. The agents include those whose upline is
// deleted, and a deleted agent itself. Call it last: until the transaction ends, other
// changes of the team wait.
func Changed(ctx context.Context, tx *store.Tx, teamID int64, agentIDs []int64, now time.Time) error {
	if len(agentIDs) == 0 {
		return nil
	}
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	version, wake, err := raise(ctx, tx, tenantID, teamID, now)
	if err != nil {
		return err
	}
	ids := slices.Clone(agentIDs)
	slices.Sort(ids)
	if err := record(ctx, tx, tenantID, teamID, version, slices.Compact(ids)); err != nil {
		return err
	}
	if !wake {
		return nil
	}
	return tx.Enqueue(ctx, RebuildArgs{TenantID: tenantID, TeamID: teamID})
}

// ChangedAll records that every agent of the team may have changed; an import calls it
// once, at its end.
func ChangedAll(ctx context.Context, tx *store.Tx, teamID int64, now time.Time) error {
	return Changed(ctx, tx, teamID, []int64{everyAgent}, now)
}

// ChangedSome is ChangedAll for a part of an import. It asks for no rebuild, since
// ChangedAll does at the end of the import. If the process is killed before, a Tick asks
// for one seconds after the last part.
func ChangedSome(ctx context.Context, tx *store.Tx, teamID int64, now time.Time) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	var version int64
	_, err = store.One(ctx, tx, []any{&version}, `
		INSERT INTO hierarchy_build (tenant_id, team_id, changed_version, built_version, status, queued_at)
		VALUES ($1, $2, 1, 0, 'FAILED', $3)
		ON CONFLICT (tenant_id, team_id) DO UPDATE SET
			changed_version = hierarchy_build.changed_version + 1,
			queued_at = CASE WHEN hierarchy_build.status = 'QUEUED' THEN hierarchy_build.queued_at ELSE excluded.queued_at END
		RETURNING changed_version`, tenantID, teamID, now)
	if err != nil {
		return err
	}
	return record(ctx, tx, tenantID, teamID, version, []int64{everyAgent})
}

// raise counts a change. The row stays locked until the transaction ends, so versions are
// committed in their order. wake is false if a job is already waiting: the status is
// QUEUED exactly from the insertion of a job to its start. So a change during a rebuild
// inserts another job, which a unique job would prevent.
func raise(ctx context.Context, tx *store.Tx, tenantID, teamID int64, now time.Time) (version int64, wake bool, err error) {
	_, err = store.One(ctx, tx, []any{&version, &wake}, `
		INSERT INTO hierarchy_build (tenant_id, team_id, changed_version, built_version, status, queued_at)
		VALUES ($1, $2, 1, 0, 'QUEUED', $3)
		ON CONFLICT (tenant_id, team_id) DO UPDATE SET
			changed_version = hierarchy_build.changed_version + 1,
			status = 'QUEUED',
			queued_at = CASE WHEN hierarchy_build.status = 'QUEUED' THEN hierarchy_build.queued_at ELSE excluded.queued_at END
		RETURNING changed_version, queued_at = $3`, tenantID, teamID, now)
	return version, wake, err
}

func record(ctx context.Context, tx *store.Tx, tenantID, teamID, version int64, ids []int64) error {
	return tx.CopyFrom(ctx, "hierarchy_change", []string{"tenant_id", "team_id", "version", "agent_id"}, rows(ids, func(row []any, id int64) []any {
		return append(row, tenantID, teamID, version, id)
	}))
}

// rows yields a table row for each item; all rows share their memory.
func rows[T any](items []T, columns func(row []any, item T) []any) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		var row []any
		for _, item := range items {
			if row = columns(row[:0], item); !yield(row) {
				return
			}
		}
	}
}
