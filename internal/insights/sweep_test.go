package insights

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// Where a run is about much of an agency, PostgreSQL steps through no table for each
// row of another, before it has statistics and after; only the page that was found is
// looked up row by row where nothing else will do. And it never reads the indexes that
// keep periods apart.
func TestSweepingReadsTablesOnce(t *testing.T) {
	s := dbtest.Postgres(t)
	day := date.Of(2026, time.June, 15)
	whole := tenant.With(t.Context(), &tenant.Tenant{ID: 1, Zone: time.UTC})
	agent := int64(1)
	limited := tenant.WithCaller(whole, tenant.Caller{Within: &agent, Clock: clock.At(day.Time())})
	steps := 0
	for _, q := range queries {
		if q.Core == nil || !q.Scoped {
			continue
		}
		for _, kind := range []string{agency, downline} {
			for who, ctx := range map[string]context.Context{"everybody": whole, "limited": limited} {
				r := &Run{Query: q, Tenant: tenant.From(ctx), Now: day.Time(), Today: day, q: s, postgres: true, team: 1, given: map[string]bool{}, scope: scope{kind: kind, root: 1},
					values: map[string]any{"onDate": day, "from": day, "through": day, "metric": "issuedPremium", "days": 7, "jurisdiction": home}}
				ahead, err := r.sweeping(ctx)
				if err != nil {
					t.Fatal(err)
				}
				steps += loops(t, s, ahead, r)
				if looked := loops(t, s, store.Sweeping(ctx), r); looked > 0 && q != unlicensedActiveAgents {
					t.Errorf("%s, %s, %s: %d nested loops", q.Slug, kind, who, looked)
				}
			}
		}
	}
	if steps == 0 {
		t.Error("no run had a plan of its own with a nested loop: nothing would show what sweeping is for")
	}
}

// loops counts the nested loops of the plan of a page.
func loops(t *testing.T, s *store.Store, ctx context.Context, r *Run) int {
	t.Helper()
	statement := r.page(50, 0)
	plan, err := store.Collect(ctx, s, store.ScanOne[string], "EXPLAIN "+statement.Text(), statement.Args()...)
	if err != nil {
		t.Fatal(r.Query.Slug, err)
	}
	text := strings.Join(plan, "\n")
	if strings.Contains(text, "_overlap") {
		t.Errorf("%s reads the index of an exclusion constraint:\n%s", r.Query.Slug, text)
	}
	return strings.Count(text, "Nested Loop")
}
