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
