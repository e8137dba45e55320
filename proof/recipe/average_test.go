package recipe_test

import (
	"context"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
)

// The average of the largest amounts there are is exact: what it is computed of stays
// within an integer, as far as the sum does.
func TestAveragesOfTheLargestAmounts(t *testing.T) {
	const records = 60
	onEachWorld(t, func(t *testing.T, w *apptest.World) {
		loadProduction(t, w)
		ctx := w.Context(t, apptest.Acme, "read:agents")
		d := drawn{dataset: "production", day: "2026-06-15", definition: object{"columns": []any{
			object{"field": "annualPremium", "aggregate": "avg"}, object{"field": "annualPremium", "aggregate": "count"}}}}
		for _, c := range []struct {
			all, one int64 // hundredths
			want     string
		}{
			{999999999999999, 999999999999999, "9999999999999.9900"},
			{999999999999999, 999999999999998, "9999999999999.9898"}, // .989833…
			{999999999999999, 0, "9833333333333.3235"},               // .323500 on the nose
			{0, 1, "0.0002"}, // 0.000166…
		} {
			err := w.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.Exec(ctx, `UPDATE insights_production_record SET annual_premium_cents = CASE policy_number WHEN 'P-000' THEN CAST($1 AS bigint) ELSE CAST($2 AS bigint) END WHERE tenant_id = $3`,
					c.one, c.all, w.Tenants[apptest.Acme].ID)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			got := readAll(t, ctx, w.Recipes, d, 10, 1)
			if got[0][0] != c.want || got[0][1] != float64(records) {
				t.Errorf("of %d and one of %d: %v; want %s", c.all, c.one, got, c.want)
			}
		}
	})
}

// So many of them that their sum is no integer of 64 bits: sum and average are exact.
func TestSumsOfTheLargestAmounts(t *testing.T) {
	onEachWorld(t, func(t *testing.T, w *apptest.World) {
		loadProduction(t, w)
		ctx := w.Context(t, apptest.Acme, "read:agents")
		err := w.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO insights_production_record (tenant_id, agent_id, provider_company, policy_number, submitted_on, annual_premium_cents, recorded_at, recorded_by)
				SELECT r.tenant_id, r.agent_id, r.provider_company, r.policy_number || '/' || CAST(x.i AS text), '2026-06-15', 0, r.recorded_at, 'x'
				FROM insights_production_record r, (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT i FROM n) x WHERE r.tenant_id = $1`, w.Tenants[apptest.Acme].ID)
			if err != nil {
				return err
			}
			_, err = tx.Exec(ctx, "UPDATE insights_production_record SET annual_premium_cents = 999999999999999 WHERE tenant_id = $1", w.Tenants[apptest.Acme].ID)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got := readAll(t, ctx, w.Recipes, drawn{dataset: "production", day: "2026-06-15", definition: object{"columns": []any{
			object{"field": "annualPremium", "aggregate": "sum"}, object{"field": "annualPremium", "aggregate": "avg"}, object{"field": "annualPremium", "aggregate": "count"}}}}, 10, 1)
		if len(got) != 1 || got[0][0] != "120599999999999879.40" || got[0][1] != "9999999999999.9900" || got[0][2] != float64(201*60) {
			t.Errorf("sum, average and count: %v", got)
		}
	})
}
