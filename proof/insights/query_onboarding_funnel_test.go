package insights_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// For each application and status, the time is added up by the minute.
func TestOnboardingFunnel(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		w.in(t, "America/New_York")
		w.plant(t, a)
		all := w.plantApplications(t, a)
		now := w.app.Clock.Now()
		for _, ask := range w.askings(t, a) {
			from, through := someDays(t)
			var want [][]any
			for _, status := range []string{"ACTIVE", "HOLD", "COMPLETE", "PAID", "PROCESSED", "REJECTED"} {
				reached, total := 0, time.Duration(0)
				for _, x := range w.counted(ask, all, from, through) {
					has := false
					for i, s := range x.steps {
						until := now
						if i+1 < len(x.steps) {
							until = x.steps[i+1].at
						}
						if s.status == status {
							has, total = true, total+until.Sub(s.at)
						}
					}
					if has {
						reached++
					}
				}
				row := []any{status, reached, nil}
				if reached > 0 && status != "PROCESSED" && status != "REJECTED" {
					row[2] = averageDays(total, reached)
				}
				want = append(want, row)
			}
			w.holds(t, ask, "onboarding-funnel", parameters{"from": from.String(), "through": through.String()}, want)
		}
	})
}
