package insights_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
)

// Who can sell where is found agent by agent.
func TestLicenseCoverage(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		a.payStatuses(t)
		w.plant(t, a)
		all := w.plantCertificates(t, a, []string{"LIFE", "LIFE", "HEALTH", "AML"})
		for _, ask := range w.askings(t, a) {
			day := someDay(t)
			kind := rapid.SampledFrom([]string{"", "LIFE", "AML"}).Draw(t, "asked type")
			given := parameters{"onDate": day.String()}
			if kind != "" {
				given["type"] = kind
			}
			var want [][]any
			for _, place := range []string{"", "US-CA", "US-TX"} {
				for _, of := range []string{"AML", "HEALTH", "LIFE"} {
					if of != kind && (kind != "" || of == "AML") { // which is no licence
						continue
					}
					agents, resident, in30, in90 := 0, 0, 0, 0
					for _, code := range a.codes {
						covered, isResident, last := false, false, date.Date(0)
						for _, c := range all {
							if c.agent == code && c.kind == of && c.jurisdiction == place && c.on(day) == "ACTIVE" {
								covered, isResident, last = true, isResident || c.resident, max(last, c.ends(day))
							}
						}
						if !covered || !isActive(on(a.statuses[code], day)) || !ask.within(code, day) {
							continue
						}
						agents++
						for n, holds := range map[*int]bool{&resident: isResident, &in30: last <= day.AddDays(30), &in90: last <= day.AddDays(90)} {
							if holds {
								*n++
							}
						}
					}
					if agents > 0 {
						want = append(want, []any{orNull(place), of, agents, resident, agents - resident, in30, in90})
					}
				}
			}
			w.holds(t, ask, "license-coverage", given, want)
		}
	})
}
