package insights_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/platform/store"
)

// So many of the largest premiums there are make more than an integer of 64 bits
// holds: every query that adds them up has all digits, and sorts by them.
func TestSumsOfTheLargestPremiums(t *testing.T) {
	const largest, many = 999999999999999, 9400
	onEach(t, func(t *testing.T, w *world) {
		err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			for code, n := range map[string]int{"A": many, "B": many + 1} {
				_, err := tx.Exec(ctx, `INSERT INTO insights_production_record (tenant_id, agent_id, provider_company, policy_number, submitted_on, issued_on, placed_on, annual_premium_cents, recorded_at, recorded_by)
					SELECT a.tenant_id, a.id, 'ACO', CAST(x.i AS text), $1, $1, $1, $2, a.created_at, 'x' FROM agency_agent a, (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $3) SELECT i FROM n) x
					WHERE a.tenant_id = $4 AND a.code = $5`, today, int64(largest), n, w.app.Tenants[apptest.Acme].ID, code)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		day := parameters{"from": today.String(), "through": today.String()}
		ask := func(slug string, sort *string) string {
			r, err := w.Insight(w.ctx, insights.Request{Slug: slug, Parameters: day, Sort: sort})
			if err != nil {
				t.Fatal(slug, err)
			}
			return fmt.Sprint(lines(r))
		}
		equal(t, "leaderboard", ask("leaderboard", nil), "[[1 <nil> B Ann B 10 A 94009999999999905.99 <nil> 9401] [2 <nil> A Ann A 10 <nil> 93999999999999906.00 <nil> 9400]]")
		equal(t, "by value", ask("leaderboard", ptr("value")), "[[2 <nil> A Ann A 10 <nil> 93999999999999906.00 <nil> 9400] [1 <nil> B Ann B 10 A 94009999999999905.99 <nil> 9401]]")
		equal(t, "production", ask("production-summary", nil), "[[2026-06 18801 188009999999999811.99 18801 188009999999999811.99 18801 188009999999999811.99 9999999999999.99]]")
	})
}
