package hierarchy

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// everyAgent stands in hierarchy_change for all agents of the team.
const everyAgent = 0

// Changed records, in the transaction of the change, that upline periods of
// agents were written or removed, and asks for a rebuild. Agents whose upline
// is deleted are among them, as is a deleted agent itself. Call it last:
// until the transaction ends, other changes of the team wait.
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

// ChangedAll records that any agent of the team may have changed: what an
// import calls, once.
func ChangedAll(ctx context.Context, tx *store.Tx, teamID int64, now time.Time) error {
	return Changed(ctx, tx, teamID, []int64{everyAgent}, now)
}

// ChangedSome is ChangedAll for a part of an import that goes on: it asks for no
// rebuild, for which ChangedAll asks at the end. When that never comes, since the
// process was killed, a look asks for one seconds after the last part.
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

// raise counts a change. The row stays locked until the transaction ends, so
// versions are committed in their order. wake is false when a job waits
// already: the status is QUEUED exactly from the insertion of a job to the
// start of one. A change during a rebuild therefore inserts a job of its own,
// which a unique job would not.
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

// rows yields a table row of each item, all in the same memory.
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
