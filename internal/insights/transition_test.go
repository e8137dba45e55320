package insights

import (
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// Who recorded changes is looked up among the periods of the agents they are about.
func TestPlanOfInitiators(t *testing.T) {
	s := dbtest.SQLite(t)
	r := &Run{Tenant: &tenant.Tenant{ID: 1}, q: s, team: 1, values: map[string]any{"through": date.Of(2026, time.June, 15)}}
	statement := uplinePeriods.records(r, []int64{1, 2})
	steps, err := store.Collect(t.Context(), s, readStep, "EXPLAIN QUERY PLAN "+statement.Text(), statement.Args()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range steps {
		if strings.HasPrefix(found.text, "SEARCH p USING INDEX agency_upline_period_owner (tenant_id=? AND team_id=? AND agent_id=?") {
			return
		}
	}
	t.Errorf("%v", steps)
}
