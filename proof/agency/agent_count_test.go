package agency_test

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// The kept number of agents is the number there are, whatever statements add and remove
// some, together or one by one, and whether their transaction is committed.
func TestKeptCountIsTheCount(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		tenantID, err := tenant.ID(w.ctx)
		if err != nil {
			t.Fatal(err)
		}
		next, rolledBack := 0, errors.New("rolled back")
		rapid.Check(t, func(t *rapid.T) {
			keep := rapid.Bool().Draw(t, "commit")
			together, removed := rapid.IntRange(0, 4).Draw(t, "added"), rapid.IntRange(0, 4).Draw(t, "removed")
			err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
				next++
				if _, err := tx.Exec(ctx, `INSERT INTO agency_agent (tenant_id, code, first_name, last_name, first_name_key, last_name_key, common_name_key, email_key,
					is_dedicated, start_date, created_at, created_by, last_modified, last_modified_by)
					WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4)
					SELECT $1, 'COUNT-' || CAST($2 AS bigint) || '-' || i, 'A', 'B', 'a', 'b', '', '', $3, $4, $4, 't', $4, 't' FROM n WHERE i <= $5`,
					tenantID, next, true, w.clock.Now(), together); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, "DELETE FROM agency_agent WHERE tenant_id = $1 AND id IN (SELECT x.id FROM agency_agent x WHERE x.tenant_id = $1 AND x.code LIKE 'COUNT-%' LIMIT $2)", tenantID, removed); err != nil {
					return err
				}
				if !keep {
					return rolledBack
				}
				return nil
			})
			if err != nil && !errors.Is(err, rolledBack) {
				t.Fatal(err)
			}
			var kept, there int
			if _, err := store.One(w.ctx, w.store, []any{&kept, &there}, `SELECT (SELECT CAST(coalesce(sum(agents), 0) AS bigint) FROM agency_agent_count WHERE tenant_id = $1),
				(SELECT count(*) FROM agency_agent WHERE tenant_id = $1)`, tenantID); err != nil {
				t.Fatal(err)
			}
			if kept != there {
				t.Fatalf("%d agents are kept, %d are there", kept, there)
			}
		})
	})
}
