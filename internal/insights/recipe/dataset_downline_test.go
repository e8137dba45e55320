package recipe

import (
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// The pairs of another day are read once, in whatever order: SQLite looks up no agent together with
// each other one.
func TestWalkedPairsAreReadOnce(t *testing.T) {
	s := dbtest.SQLite(t)
	from := strings.NewReplacer("@tenant", "1", "@team", "1", "@onDate", "'2026-06-01'").Replace(downlineDataset.from)
	for _, f := range downlineDataset.Fields {
		if f.join != "" && f.join != "a" {
			continue
		}
		for _, direction := range []string{"", " DESC"} {
			steps, err := store.Collect(t.Context(), s, func(row store.Scanner) (step string, err error) {
				return step, row.Scan(new(int), new(int), new(int), &step)
			}, "EXPLAIN QUERY PLAN SELECT ua.code, a.code FROM "+from+" WHERE "+downlineDataset.where+" ORDER BY "+f.sql+direction+", "+strings.Join(downlineDataset.key, ", ")+" LIMIT 51")
			plan := strings.Join(steps, "\n")
			if err != nil || strings.Contains(plan, "AUTOMATIC") || !strings.Contains(plan, "SEARCH a USING INTEGER PRIMARY KEY") || !strings.Contains(plan, "SEARCH ua USING INTEGER PRIMARY KEY") {
				t.Errorf("by %s%s: %v\n%s", f.Name, direction, err, plan)
			}
		}
	}
}
