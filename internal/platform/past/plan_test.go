package past

import (
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// What is kept of an object is found by its row or by its agent, whichever table it is of: what is kept
// of all rows of a table grows with all changes ever made.
func TestWhatIsKeptIsFoundByItsObject(t *testing.T) {
	s := dbtest.SQLite(t)
	for _, k := range []*Kind{
		{Entity: "Agent", OfAgents: true, Facts: []*Fact{{Table: "agency_agent", Owner: "id"}, {Table: "agency_address", Owner: "agent_id"}, {Table: "agency_certification", Owner: "agent_id", Since: "created_at"}}},
		{Entity: "Role", Facts: []*Fact{{Table: "identity_role", Owner: "id"}, {Table: "identity_user_role", Owner: "user_id", Row: "user_id", Part: "role_id"}}},
	} {
		r := reading{q: s, tenantID: 1, kind: k, since: time.Now(), ids: []int64{1, 2}}
		for _, f := range k.Facts {
			for name, q := range map[string]*store.SQL{"versions": r.versionsOf(f), "absences": r.absencesOf(f)} {
				steps, err := store.Collect(t.Context(), s, func(row store.Scanner) (step string, err error) {
					return step, row.Scan(new(int), new(int), new(int), &step)
				}, "EXPLAIN QUERY PLAN "+q.Text(), q.Args()...)
				if err != nil {
					t.Fatal(err)
				}
				kept := 0
				for _, step := range steps {
					if !strings.Contains(step, "relation=?") && !strings.Contains(step, "past_row_of_agent") {
						continue
					}
					if kept++; !strings.Contains(step, "row_id=?") && !strings.Contains(step, "agent_id=?") {
						t.Errorf("%s of %s: %s", name, f.Table, step)
					}
				}
				if kept == 0 {
					t.Errorf("%s of %s read nothing that is kept:\n%s", name, f.Table, strings.Join(steps, "\n"))
				}
			}
		}
	}
}
