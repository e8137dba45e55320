package insights

import (
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
)

// Who recorded a change is looked up among the periods of one agent and day.
func TestPlanOfInitiators(t *testing.T) {
	steps, err := store.Collect(t.Context(), dbtest.SQLite(t), func(r store.Scanner) (line string, err error) {
		var id, parent, unused int
		return line, r.Scan(&id, &parent, &unused, &line)
	}, "EXPLAIN QUERY PLAN SELECT "+uplinePeriods.initiator()+" FROM agency_upline_period p WHERE p.tenant_id = 1")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"e", "b"} {
		want := "SEARCH " + row + " USING INDEX agency_upline_period_owner (tenant_id=? AND team_id=? AND agent_id=? AND effective_from=?"
		if plan := strings.Join(steps, "\n"); !strings.Contains(plan, want) {
			t.Errorf("%s\nhas no %s", plan, want)
		}
	}
}
