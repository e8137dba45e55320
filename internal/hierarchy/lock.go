package hierarchy

import (
	"context"
	"hash/fnv"
	"strconv"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Lock makes the transaction the only writer of the uplines of a team's
// existing agents, until it ends. Without it two writers could build a cycle
// together, each refusing only what it sees.
//
// It is the first lock of a transaction: one that has locked an agent and then
// waits here can be waited for by the writer that is ahead of it.
func Lock(ctx context.Context, tx *store.Tx, teamID int64) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	var id int64
	_, err = store.One(ctx, tx, []any{&id}, "SELECT id FROM agency_team WHERE tenant_id = $1 AND id = $2"+tx.ForUpdate(), tenantID, teamID)
	return err
}

// lockRebuild makes the transaction the only rebuild of a team until it ends.
// No row is locked for that: a change updates the team's row of
// hierarchy_build and must not wait for a rebuild. SQLite has one writer at a
// time.
func lockRebuild(ctx context.Context, tx *store.Tx, tenantID, teamID int64) error {
	if !tx.Postgres() {
		return nil
	}
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", rebuildLock(tenantID, teamID))
	return err
}

// tryLockRebuild is lockRebuild that does not wait: it returns false where a
// rebuild of the team is under way.
func tryLockRebuild(ctx context.Context, tx *store.Tx, tenantID, teamID int64) (locked bool, err error) {
	if !tx.Postgres() {
		return true, nil
	}
	_, err = store.One(ctx, tx, []any{&locked}, "SELECT pg_try_advisory_xact_lock($1)", rebuildLock(tenantID, teamID))
	return locked, err
}

func rebuildLock(tenantID, teamID int64) int64 {
	name := fnv.New64a()
	name.Write([]byte("hierarchy/" + strconv.FormatInt(tenantID, 10) + "/" + strconv.FormatInt(teamID, 10)))
	return int64(name.Sum64())
}
