package hierarchy

import (
	"context"
	"iter"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// everyAgent stands for all agents of the team in hierarchy_change.
const everyAgent = 0

// Begin gives a new team its empty hierarchy, which is right for a day.
func Begin(ctx context.Context, tx *store.Tx, teamID int64, today date.Date, now time.Time) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	return tx.Later(ctx, `INSERT INTO hierarchy_build (tenant_id, team_id, changed_version, built_version, built_for, status, queued_at, agent_count, relation_count)
		VALUES ($1, $2, 0, 0, $3, 'COMPLETED', $4, 0, 0)`, tenantID, teamID, today, now)
}

// Changed records, in the transaction of the change, that upline periods of agents were
// written or removed on a day in the tenant's zone. The agents include those whose upline
// is deleted, and a deleted agent itself. If few agents move, the flattened rows are
// brought up to date at once, so that whoever was told of the change reads it; otherwise
// Changed asks for a rebuild. It returns the events that tell of what is flattened; the
// caller writes them after those of the change. Call it last: until the transaction ends,
// other changes of the team wait.
func Changed(ctx context.Context, tx *store.Tx, teamID int64, agentIDs []int64, today date.Date, now time.Time) ([]events.Event, error) {
	if len(agentIDs) == 0 {
		return nil, nil
	}
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	f := flattening{tenantID, teamID, today}
	if err := f.raise(ctx, tx, agentIDs, now); err != nil {
		return nil, err
	}
	free, err := askRebuildLock(ctx, tx, tenantID, teamID, shared)
	if err != nil {
		return nil, err
	}
	changed, err := f.askChangedAgents(ctx, tx)
	if err != nil {
		return nil, err
	}
	b, err := readBuild(ctx, tx, tenantID, teamID, today, "")
	if err != nil {
		return nil, err
	}
	if *free && b.BuiltFor != nil && *b.BuiltFor == today && isFew(*changed, movedAtOnce) {
		return f.atOnce(ctx, tx, b, *changed, now)
	}
	return nil, f.ask(ctx, tx, b, now)
}

// movedAtOnce is how many agents may move, with everyone below them, for the flattened
// rows to be written with the change. 200 take some ten milliseconds, for which other
// changes of the team wait.
var movedAtOnce = 200

// atOnce flattens the changes that are not flattened yet.
func (f flattening) atOnce(ctx context.Context, tx *store.Tx, b *Build, changed []changedAgent, now time.Time) ([]events.Event, error) {
	agents, relations, err := f.flattenChanged(ctx, tx, changed, *b.AgentCount, *b.RelationCount)
	if err != nil {
		return nil, err
	}
	b.StartedAt = &now
	e, err := f.complete(ctx, tx, b, agents, relations, now)
	return []events.Event{e}, err
}

// ask inserts a job that rebuilds, unless one is already waiting: the status is QUEUED
// exactly from the insertion of a job to its start. So a change during a rebuild inserts
// another job, which a unique job would prevent.
func (f flattening) ask(ctx context.Context, tx *store.Tx, b *Build, now time.Time) error {
	if b.Status == Queued {
		return nil
	}
	if err := tx.Later(ctx, "UPDATE hierarchy_build SET status = 'QUEUED', queued_at = $1 WHERE tenant_id = $2 AND team_id = $3", now, f.tenantID, f.teamID); err != nil {
		return err
	}
	return tx.Enqueue(ctx, RebuildArgs{TenantID: f.tenantID, TeamID: f.teamID})
}

// ChangedAll records that every agent of the team may have changed, and asks for a
// rebuild; an import calls it once, at its end.
func ChangedAll(ctx context.Context, tx *store.Tx, teamID int64, now time.Time) error {
	f, b, err := changedAll(ctx, tx, teamID, now)
	if err != nil {
		return err
	}
	return f.ask(ctx, tx, b, now)
}

// ChangedSome is ChangedAll for a part of an import. It asks for no rebuild, since
// ChangedAll does at the end of the import. If the process is killed before, a Tick asks
// for one seconds after the last part.
func ChangedSome(ctx context.Context, tx *store.Tx, teamID int64, now time.Time) error {
	_, _, err := changedAll(ctx, tx, teamID, now)
	return err
}

func changedAll(ctx context.Context, tx *store.Tx, teamID int64, now time.Time) (f flattening, b *Build, err error) {
	if f.tenantID, err = tenant.ID(ctx); err != nil {
		return f, nil, err
	}
	f.teamID = teamID
	if err := f.raise(ctx, tx, []int64{everyAgent}, now); err != nil {
		return f, nil, err
	}
	b, err = readBuild(ctx, tx, f.tenantID, f.teamID, f.today, "")
	return f, b, err
}

// raise counts a change of agents, and records them. The row of the build stays locked
// until the transaction ends, so versions are committed in their order.
func (f flattening) raise(ctx context.Context, tx *store.Tx, agentIDs []int64, now time.Time) error {
	if err := tx.Later(ctx, `
		INSERT INTO hierarchy_build (tenant_id, team_id, changed_version, built_version, status, queued_at)
		VALUES ($1, $2, 1, 0, 'FAILED', $3)
		ON CONFLICT (tenant_id, team_id) DO UPDATE SET
			changed_version = hierarchy_build.changed_version + 1,
			queued_at = CASE WHEN hierarchy_build.status = 'QUEUED' THEN hierarchy_build.queued_at ELSE excluded.queued_at END`,
		f.tenantID, f.teamID, now); err != nil {
		return err
	}
	return tx.Later(ctx, `INSERT INTO hierarchy_change (tenant_id, team_id, version, agent_id)
		SELECT DISTINCT b.tenant_id, b.team_id, b.changed_version, c.value FROM hierarchy_build b CROSS JOIN `+tx.Each("c", "$3")+`
		WHERE b.tenant_id = $1 AND b.team_id = $2`, f.tenantID, f.teamID, tx.List(agentIDs))
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
