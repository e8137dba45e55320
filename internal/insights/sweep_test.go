package insights

import (
	"context"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// Where a run is about much of an agency, PostgreSQL steps through no table for each
// row of another, before it has statistics and after; only the page that was found is
// looked up row by row where nothing else will do. And it never reads the indexes that
// keep periods apart.
func TestSweepingReadsTablesOnce(t *testing.T) {
	s := dbtest.Postgres(t)
	steps := 0
	eachRun(t, s, func(ctx context.Context, what string, r *Run) {
		if !r.Scoped {
			return
		}
		ahead, err := r.sweeping(ctx)
		if err != nil {
			t.Fatal(err)
		}
		steps += loops(t, s, ahead, r)
		if looked := loops(t, s, store.Sweeping(ctx), r); looked > 0 && r.Report != unlicensedActiveAgents {
			t.Errorf("%s: %d nested loops", what, looked)
		}
	})
	if steps == 0 {
		t.Error("no run had a plan of its own with a nested loop: nothing would show what sweeping is for")
	}
}

// A downline is swept by its part of the agency, whatever the size of either.
func TestSweepingIsByPart(t *testing.T) {
	s := dbtest.Postgres(t)
	owner := dbtest.Owner(t, s)
	exec := func(statement string, args ...any) {
		t.Helper()
		if err := owner.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, statement, args...)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	exec("INSERT INTO tenant (id, identifier, name, time_zone, default_page_size, max_page_size, created_at) VALUES (1, 't', 'T', 'UTC', 50, 100, '2026-01-01')")
	for _, agents := range []int64{20, 3_000, 100_000} {
		for below, want := range map[int64]bool{agents/large - 1: false, agents / large: true, agents - 1: true} {
			exec("DELETE FROM agency_agent_count")
			exec("DELETE FROM hierarchy_node")
			exec("INSERT INTO agency_agent_count (tenant_id, slot, agents) VALUES (1, 0, $1)", agents)
			exec("INSERT INTO hierarchy_node (tenant_id, team_id, agent_id, depth, direct_count, downline_count) VALUES (1, 1, 1, 0, 1, $1)", below)
			eachRun(t, s, func(ctx context.Context, what string, r *Run) {
				if !r.Scoped || r.scope.kind != downline {
					return
				}
				if ahead, err := r.sweeping(ctx); err != nil || (ahead != ctx) != want {
					t.Errorf("%s: %d of %d are swept: %t, %v", what, below, agents, ahead != ctx, err)
				}
			})
		}
	}
}

// loops counts the nested loops of the plan of a page.
func loops(t *testing.T, s *store.Store, ctx context.Context, r *Run) int {
	t.Helper()
	statement := r.page(50, 0)
	plan, err := store.Collect(ctx, s, store.ScanOne[string], "EXPLAIN "+statement.Text(), statement.Args()...)
	if err != nil {
		t.Fatal(r.Slug, err)
	}
	text := strings.Join(plan, "\n")
	if strings.Contains(text, "_overlap") {
		t.Errorf("%s reads the index of an exclusion constraint:\n%s", r.Slug, text)
	}
	return strings.Count(text, "Nested Loop")
}
