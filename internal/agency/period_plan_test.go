package agency

import (
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// A page of a list of periods, however far, and with whichever columns, reads the periods of each
// agent by the agent: SQLite prefers an index that has all columns, and leaves the agent out.
func TestPeriodsOfAnAgentAreReadByTheAgent(t *testing.T) {
	sqlite := dbtest.SQLite(t)
	ctx := tenant.With(t.Context(), &tenant.Tenant{ID: 1, Zone: time.UTC, DefaultPageSize: 50, MaxPageSize: 100})
	s := New(sqlite, clock.At(time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)), nil)
	for _, r := range history.Relations {
		if !r.IsOfAgents() {
			continue
		}
		list, err := s.PeriodList(ctx, r, 1, record.PeriodFilter{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, columns := range []string{"p.id", "p.*"} {
			q := new(store.SQL).Write("EXPLAIN QUERY PLAN SELECT " + columns + " FROM ")
			list.Whole(q)
			q.Write(" ORDER BY a.code, +p.effective_from, +p.id")
			steps, err := store.Collect(ctx, sqlite, func(row store.Scanner) (step string, err error) {
				return step, row.Scan(new(int), new(int), new(int), &step)
			}, q.Text(), q.Args()...)
			if err != nil || !strings.Contains(strings.Join(steps, "\n"), "SEARCH p USING INDEX "+r.Table+"_owner (") || !strings.Contains(strings.Join(steps, "\n"), "agent_id=?") {
				t.Errorf("%s, %s: %v\n%s", r.Name, columns, err, strings.Join(steps, "\n"))
			}
		}
	}
}
