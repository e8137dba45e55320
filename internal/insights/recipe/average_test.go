package recipe_test

import (
	"context"
	"testing"

	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/store"
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
