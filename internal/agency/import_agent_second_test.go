package agency

import (
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// The second pass looks each agent up by itself: it does not read the uplines of all for each.
func TestStandingsAreLookedUp(t *testing.T) {
	s := dbtest.SQLite(t)
	ctx := tenant.With(t.Context(), &tenant.Tenant{ID: 1})
	steps, err := store.Collect(ctx, s, func(row store.Scanner) (step string, err error) {
		return step, row.Scan(new(int), new(int), new(int), &step)
	}, "EXPLAIN QUERY PLAN "+standingsQuery(s.InTexts("a.code", "$2")), 1, s.Texts([]string{"A1"}), 1, date.Of(2026, 6, 15))
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, step := range steps {
		if strings.Contains(step, " p USING") {
			if looked++; !strings.Contains(step, "agent_id=?") {
				t.Errorf("%s", step)
			}
		}
	}
	if looked != 2 {
		t.Errorf("%d look-ups of upline periods, want 2:\n%s", looked, strings.Join(steps, "\n"))
	}
}
