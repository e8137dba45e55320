package audit

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// KeptSince is since when it is known what values without periods were before: the zero time
// for an agency that has kept them from its first day.
func (t *reading) KeptSince(ctx context.Context) (since time.Time, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return since, err
	}
	var stored *time.Time
	if _, err = store.One(ctx, t.store, []any{&stored}, "SELECT values_kept_since FROM tenant WHERE id = $1", tenantID); stored != nil {
		since = *stored
	}
	return since, err
}

// forgottenAtOnce bounds how long other writers wait.
const forgottenAtOnce = 2000

// ForgetOld deletes what values without periods were before the years that the agency keeps
// them for. It does so once a day: it has to look at all that is kept.
func (t *reading) ForgetOld(ctx context.Context) error {
	of := tenant.From(ctx)
	if of.ValuesKeptYears == 0 {
		return nil
	}
	until := t.clock.Now().AddDate(-of.ValuesKeptYears, 0, 0)
	if since, err := t.KeptSince(ctx); err != nil || until.Sub(since) < 24*time.Hour {
		return err
	}
	// It is said with the first of them, so that nothing half deleted is told.
	for n := int64(forgottenAtOnce); n == forgottenAtOnce; {
		if err := t.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			if _, err = tx.Exec(ctx, "UPDATE tenant SET values_kept_since = $2 WHERE id = $1", of.ID, until); err == nil {
				n, err = tx.Exec(ctx, `DELETE FROM past_row WHERE tenant_id = $1 AND (relation, row_id, part, at) IN (
					SELECT p.relation, p.row_id, p.part, p.at FROM past_row p WHERE p.tenant_id = $1 AND p.at < $2 LIMIT $3)`, of.ID, until, forgottenAtOnce)
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
