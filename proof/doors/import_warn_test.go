package doors_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
)

// A check warns of every agent that would be active below somebody who is not, and of every level
// above that of the upline: of those that the rows change, and of no others.
func TestCheckWarnsOfOddPlaces(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c, round := w.As(apptest.Acme), 0
		rapid.Check(t, func(t *rapid.T) {
			round++
			type place struct{ code, upline, status, level string }
			var places []place
			var want []string
			for i := range rapid.IntRange(2, 6).Draw(t, "agents") {
				p := place{code: fmt.Sprintf("V%d-%d", round, i), status: rapid.SampledFrom([]string{"Active", "Active", "Terminated"}).Draw(t, "status"), level: rapid.SampledFrom([]string{"10", "20", "30"}).Draw(t, "level")}
				if i > 0 {
					up := places[rapid.IntRange(0, i-1).Draw(t, "upline")]
					p.upline = up.code
					if p.status == "Active" && up.status != "Active" {
						want = append(want, p.code+" is below "+up.code+", whose pay status is Terminated.")
					}
					if p.level > up.level {
						want = append(want, fmt.Sprintf("The level of %s, %s, is above that of its upline %s, %s.", p.code, p.level, up.code, up.level))
					}
				}
				places = append(places, p)
			}
			file := "agentCode\tfirstName\tlastName\tstatus\tstartDate\tteams.default.directUpline\tteams.default.level\n"
			for _, p := range places {
				file += strings.Join([]string{p.code, "Ana", "Diaz", p.status, "2020-01-01", p.upline, p.level}, "\t") + "\n"
			}
			told := func() (all []string) {
				r := c.Upload(t, `mutation($input: BulkImportInput!) { bulkImport(input: $input, dryRun: true) { rejectedCount changes { notes } remarks { message } } }`, object{"entity": "AGENT", "initiator": "hr"}, file)
				for _, change := range apptest.At(r.Data, "bulkImport.changes").([]any) {
					for _, note := range apptest.At(change, "notes").([]any) {
						all = append(all, fmt.Sprint(note))
					}
				}
				slices.Sort(all)
				return slices.Compact(all) // what is odd is told of both
			}
			slices.Sort(want)
			mustBe(t, "told of\n"+file, strings.Join(told(), "\n"), strings.Join(want, "\n"))
			mustBe(t, "imported", outcomeOf(t, c, "AGENT", file, nil), fmt.Sprintf("%d/0/%[1]d/0/0 applied true", len(places)))
			mustBe(t, "told of what stays", strings.Join(told(), "\n"), "")
		})
	})
}
