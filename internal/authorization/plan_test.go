package authorization

import (
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// SQLite looks agents up, however many others there are: it reads neither the uplines of a
// whole team nor the codes of a whole agency from an index that covers the statement.
func TestAgentsAreLookedUp(t *testing.T) {
	s := dbtest.SQLite(t)
	ctx := tenant.System(t.Context(), "the plan of a statement")
	r := &reader{q: s, tenantID: 1, team: 1, AsOf: history.AsOf{Day: date.Of(2026, 7, 1)}}
	codes := new(store.SQL)
	codes.Write("SELECT a.id, a.code FROM agency_agent a WHERE " + r.of(codes, "a.tenant_id", "a.id", []int64{1, 2}) + store.ByID)
	for name, c := range map[string]struct {
		statement *store.SQL
		lookUps   int
		by        string
	}{"uplines": {r.uplinesSQL([]int64{1, 2}, 1), 2, "SEARCH p USING INDEX agency_upline_period_owner (tenant_id=? AND team_id=? AND agent_id=?"}, "codes": {codes, 1, "SEARCH a USING INDEX sqlite_autoindex_agency_agent_1 (tenant_id=? AND id=?)"}} {
		steps, err := store.Collect(ctx, s, func(row store.Scanner) (step string, err error) {
			return step, row.Scan(new(int), new(int), new(int), &step)
		}, "EXPLAIN QUERY PLAN "+c.statement.Text(), c.statement.Args()...)
		if plan := strings.Join(steps, "\n"); err != nil || strings.Count(plan, c.by) != c.lookUps {
			t.Errorf("%s: %v\n%s", name, err, plan)
		}
	}
}
