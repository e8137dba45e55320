package insights_test

import (
	"testing"

	"pgregory.net/rapid"
)

// Appointments are counted one by one.
func TestAppointmentStatus(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		w.plant(t, a)
		all := w.plantCertificates(t, a, []string{"APPOINTMENT", "APPOINTMENT", "LIFE"})
		for _, ask := range w.askings(t, a) {
			day, given := someDay(t), parameters{}
			company := rapid.SampledFrom([]string{"", "", "ACO"}).Draw(t, "asked company")
			place := rapid.SampledFrom([]string{"", "", "US-TX"}).Draw(t, "asked jurisdiction")
			for name, v := range map[string]string{"onDate": day.String(), "providerCompany": company, "jurisdiction": place} {
				if v != "" {
					given[name] = v
				}
			}
			counts := map[[2]string][3]int{}
			for _, c := range all {
				column, counted := map[string]int{"ACTIVE": 0, "PENDING": 1, "TERMINATED": 2}[c.on(day)]
				if !counted || c.kind != "APPOINTMENT" || !ask.within(c.agent, day) || company != "" && c.company != company || place != "" && c.jurisdiction != place {
					continue
				}
				n := counts[[2]string{c.company, c.jurisdiction}]
				n[column]++
				counts[[2]string{c.company, c.jurisdiction}] = n
			}
			var want [][]any
			for _, company := range []string{"", "ACO", "BCO"} {
				for _, place := range []string{"", "US-CA", "US-TX"} {
					if n, ok := counts[[2]string{company, place}]; ok {
						want = append(want, []any{orNull(company), orNull(place), n[0], n[1], n[2]})
					}
				}
			}
			w.holds(t, ask, "appointment-status", given, want)
		}
	})
}
