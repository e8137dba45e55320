package hierarchy

import (
	"context"
	"hash/fnv"
	"strconv"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Lock makes the transaction the only writer of the uplines of a team's existing agents,
// until it ends. Without it, two writers could together make a cycle that neither can
// see.
//
// The lock is there when the next statement runs. It must be the first lock of a transaction: if the transaction had locked an agent and
// then waited here, the writer ahead of it could be waiting for that agent.
func Lock(ctx context.Context, tx *store.Tx, teamID int64) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	return tx.Later(ctx, "SELECT id FROM agency_team WHERE tenant_id = $1 AND id = $2"+tx.ForUpdate(), tenantID, teamID)
}

// lockRebuild makes the transaction the only rebuild of a team until it ends. It locks no
// row: a change updates the team's row of hierarchy_build and must not wait for a
// rebuild. SQLite has one writer at a time and needs no lock.
func lockRebuild(ctx context.Context, tx *store.Tx, tenantID, teamID int64) error {
	if !tx.Postgres() {
		return nil
	}
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", rebuildLock(tenantID, teamID))
	return err
}

// askRebuildLock is lockRebuild without waiting. After Flush, locked is false if a rebuild
// of the team is under way.
func askRebuildLock(ctx context.Context, tx *store.Tx, tenantID, teamID int64) (locked *bool, err error) {
	if !tx.Postgres() {
		return new(true), nil
	}
	locked = new(bool)
	_, err = tx.Ask(ctx, []any{locked}, "SELECT pg_try_advisory_xact_lock($1)", rebuildLock(tenantID, teamID))
	return locked, err
}

func rebuildLock(tenantID, teamID int64) int64 {
	name := fnv.New64a()
	name.Write([]byte("hierarchy/" + strconv.FormatInt(tenantID, 10) + "/" + strconv.FormatInt(teamID, 10)))
	return int64(name.Sum64())
}
