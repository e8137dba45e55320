package insights_test

import (
	"testing"

	"pgregory.net/rapid"
)

// Uplines are compared day by day.
func TestHierarchyChanges(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		w.plant(t, a)
		for _, ask := range w.askings(t, a) {
			from := someDay(t)
			through := from.AddDays(rapid.IntRange(0, 120).Draw(t, "days"))
			var want [][]any
			for day := from; day <= through; day++ {
				for _, code := range a.codes {
					was, is := on(a.uplines[code], day-1), on(a.uplines[code], day)
					if was != is && ask.sees(code) && (ask.within(code, day) || ask.within(code, day-1)) {
						want = append(want, []any{day, code, "F " + code, orNull(was), orNull(is), "x"})
					}
				}
			}
			w.holds(t, ask, "hierarchy-changes", parameters{"from": from.String(), "through": through.String()}, want)
		}
	})
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
