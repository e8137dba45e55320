package read

import (
	"regexp"
	"strings"
	"testing"

	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

var byItsID = regexp.MustCompile(`[( ](row)?id=\?`)

// Rows are found by their ids even where an index of all rows of the tenant has every
// column that is asked for, which SQLite would rather read without statistics.
func TestRowsAreFoundByID(t *testing.T) {
	s := dbtest.SQLite(t)
	for _, c := range []struct{ from, alias, columns string }{
		{"agency_certification c", "c", "c.identifier"},
		{"agency_agent a", "a", "a.last_name_key"},
		{"agency_pay_status_period p JOIN agency_agent a ON a.tenant_id = p.tenant_id AND a.id = p.agent_id", "p", "p.effective_from, a.code"},
	} {
		b := plan.NewBuilder(&plan.Run{Store: s, TenantID: 1})
		b.Owners = b.Arg("[7]")
		recordsByID(c.from, c.alias)(b, c.columns)
		query, args := b.Text(), b.Args()
		steps, err := store.Collect(t.Context(), s, func(r store.Scanner) (step string, err error) {
			var ignored int
			return step, r.Scan(&ignored, &ignored, &ignored, &step)
		}, "EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps {
			if strings.Contains(step, "SEARCH") && !byItsID.MatchString(step) {
				t.Errorf("%s: %s", query, step)
			}
		}
		if len(steps) < 2 {
			t.Errorf("%s: %q", query, steps)
		}
	}
}
