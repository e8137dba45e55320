package store

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/platform/store/visibility"
)

// ChangeAt says when the change happens that the transaction makes from now on. The
// triggers of kept tables (visibility.Kept) then keep each row that it changes or deletes
// as it was until that instant. A transaction without it changes nothing that people
// know, and nothing is kept. wrote is set with the first such row, or period, that says that
// instant.
func (t *Tx) ChangeAt(at time.Time, wrote *bool) { t.changeAt, t.wrote = at.UTC(), wrote }

// ForgetPast deletes what rows of an agent were before, who is about to be deleted, and
// keeps nothing of what the transaction deletes from now on: "permanently removes the agent
// and related data" (specification, Endpoints, Agents).
func (t *Tx) ForgetPast(ctx context.Context, tenantID, agentID int64) error {
	t.changeAt = time.Time{}
	return t.Later(ctx, "DELETE FROM past_row WHERE tenant_id = $1 AND agent_id = $2", tenantID, agentID)
}

// ForgetRow deletes what a row was before that has been deleted with its periods: of half of
// it nobody could say what was known.
func (t *Tx) ForgetRow(ctx context.Context, table string, tenantID, id int64) error {
	return t.Later(ctx, "DELETE FROM past_row WHERE tenant_id = $1 AND relation = $2 AND row_id = $3", tenantID, table, id)
}

// WasAbsent says that a row which is added with its id of before was not there until now. Rows
// of tables without a column that says since when they are there need it.
func (t *Tx) WasAbsent(ctx context.Context, table string, tenantID, id int64) error {
	return t.Later(ctx, "INSERT INTO past_row (tenant_id, relation, row_id, at) VALUES ($1, $2, $3, $4)", tenantID, table, id, t.changeAt)
}

// startClock tells the triggers the time of the change, before a statement that they may
// follow.
func (t *Tx) startClock(ctx context.Context, query string, args []any) error {
	if t.wrote != nil && visibility.IsOfPeople(query) && slices.ContainsFunc(args, t.isChangeAt) {
		*t.wrote = true
	}
	if t.changeAt.Equal(t.clockAt) || !visibility.Keeps(query) {
		return nil
	}
	t.clockAt = t.changeAt
	if t.changeAt.IsZero() {
		return t.setClock(ctx, nil)
	}
	return t.setClock(ctx, &t.changeAt)
}

func (t *Tx) isChangeAt(arg any) bool {
	at, ok := arg.(time.Time)
	return ok && at.Equal(t.changeAt)
}

// stopClock ends the time of the change; on PostgreSQL it ends with the transaction.
func (t *Tx) stopClock(ctx context.Context) error {
	if t.Postgres() || t.clockAt.IsZero() {
		return nil
	}
	return t.setClock(ctx, nil)
}

func (t *Tx) setClock(ctx context.Context, at *time.Time) error {
	raw, ok := t.raw.(pgConn)
	if !ok {
		_, err := t.raw.exec(ctx, "UPDATE change_clock SET at = $1 WHERE id = 1", []any{at})
		return err
	}
	text := ""
	if at != nil {
		text = at.Format(time.RFC3339Nano)
	}
	if raw.sharded {
		raw.pgExecutor.(*pipeline).queue(setting{"app.change_at", text}.local())
		return nil
	}
	raw.pgExecutor.(*pipeline).queue("SELECT set_config('app.change_at', $1, true)", text)
	return nil
}
