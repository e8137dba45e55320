package insights_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
)

// Heads are counted day by day.
func TestHeadcount(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		a.payStatuses(t)
		w.plant(t, a)
		for _, ask := range w.askings(t, a) {
			from := someDay(t)
			through := from.AddDays(rapid.IntRange(0, 70).Draw(t, "days"))
			interval := rapid.SampledFrom([]string{"day", "week", "month", "quarter"}).Draw(t, "interval")
			counts := func(code string, day date.Date) bool {
				return isActive(on(a.statuses[code], day)) && ask.within(code, day)
			}
			var want [][]any
			for day := from; day <= through; day++ {
				name := day.String()
				switch year, week := day.Time().ISOWeek(); interval {
				case "week":
					name = fmt.Sprintf("%d-W%02d", year, week)
				case "month":
					name = name[:7]
				case "quarter":
					name = fmt.Sprintf("%d-Q%d", day.Time().Year(), (day.Time().Month()+2)/3)
				}
				if len(want) == 0 || want[len(want)-1][0] != name {
					want = append(want, []any{name, 0, 0, 0, 0})
				}
				row := want[len(want)-1]
				active, joined, left := 0, 0, 0
				for _, code := range a.codes {
					now, before := counts(code, day), counts(code, day-1)
					if now {
						active++
					}
					if now && !before {
						joined++
					}
					if before && !now {
						left++
					}
				}
				row[1], row[2], row[3] = active, row[2].(int)+joined, row[3].(int)+left
				row[4] = row[2].(int) - row[3].(int)
			}
			w.holds(t, ask, "headcount", parameters{"from": from.String(), "through": through.String(), "interval": interval}, want)
		}
	})
}
