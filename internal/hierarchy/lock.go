package hierarchy

import (
	"context"
	"errors"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Lock makes the transaction the only writer of the uplines of a team's existing agents,
// until it ends. Without it, two writers could together make a cycle that neither can
// see.
//
// Writers of one process take turns, before they have a connection (store.Tx.Turn). The lock is
// there when the next statement runs. It must be the first lock of a transaction: if the
// transaction had locked an agent and then waited here, the writer ahead of it could be waiting for that agent.
func Lock(ctx context.Context, tx *store.Tx, teamID int64) error {
	tenantID, err := tenant.ID(ctx)
	if err == nil {
		err = tx.Turn("uplines of team " + strconv.FormatInt(teamID, 10))
	}
	if err != nil {
		return err
	}
	return tx.Later(ctx, "SELECT id FROM agency_team WHERE tenant_id = $1 AND id = $2"+tx.ForUpdate(), tenantID, teamID)
}

// errUnderWay says that another rebuild of the team is under way.
var errUnderWay = errors.New("hierarchy: a rebuild is under way")

// lockRebuild makes the transaction the only rebuild of a team until it ends, or returns
// errUnderWay. It does not wait: whoever waits inside a transaction takes a connection
// from requests, for as long as the other rebuild takes. It locks no row: a change updates
// the team's row of hierarchy_build and must not wait for a rebuild.
func lockRebuild(ctx context.Context, tx *store.Tx, tenantID, teamID int64) error {
	free, err := askRebuildLock(ctx, tx, tenantID, teamID, "")
	if err := errors.Join(err, tx.Flush(ctx)); err != nil {
		return err
	}
	if !*free {
		return errUnderWay
	}
	return nil
}

// shared is the lock of a change that flattens its own agents. Changes follow one another by the
// row of the build, and whoever gets that row is often there before the last one's lock is free:
// they must not keep each other out.
const shared = "_shared"

// askRebuildLock is lockRebuild among other questions: after Flush, locked is false if a
// rebuild of the team is under way. SQLite has one writer at a time and needs no lock.
func askRebuildLock(ctx context.Context, tx *store.Tx, tenantID, teamID int64, mode string) (locked *bool, err error) {
	if !tx.Postgres() {
		return new(true), nil
	}
	locked = new(bool)
	_, err = tx.Ask(ctx, []any{locked}, "SELECT pg_try_advisory_xact_lock"+mode+"($1)", rebuildLock(tenantID, teamID))
	return locked, err
}

// retryEvery is how long somebody who needs a rebuild waits for one that is under way
// before looking again.
const retryEvery = 500 * time.Millisecond

// alone calls f until no other rebuild is in its way.
func alone(ctx context.Context, f func() error) error {
	for {
		if err := f(); !errors.Is(err, errUnderWay) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryEvery):
		}
	}
}

func rebuildLock(tenantID, teamID int64) int64 {
	name := fnv.New64a()
	name.Write([]byte("hierarchy/" + strconv.FormatInt(tenantID, 10) + "/" + strconv.FormatInt(teamID, 10)))
	return int64(name.Sum64())
}
