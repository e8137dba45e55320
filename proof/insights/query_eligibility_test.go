package insights_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/problem"
)

// The chain is walked agent by agent; of a limited caller, up to itself.
func TestEligibility(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		a.payStatuses(t)
		w.plant(t, a)
		m := w.plantMeans(t, a)
		all := w.plantCertificates(t, a, []string{"LIFE", "LIFE", "HEALTH", "AML"})
		for _, ask := range w.askings(t, a) {
			ask.given = parameters{} // it has no scope
			day := someDay(t)
			seen := slices.DeleteFunc(slices.Clone(a.codes), func(code string) bool { return !ask.sees(code) })
			code := rapid.SampledFrom(seen).Draw(t, "of the sale")
			given := parameters{"agentCode": code, "onDate": day.String()}
			kind := rapid.SampledFrom([]string{"", "LIFE", "AML"}).Draw(t, "asked type")
			place := rapid.SampledFrom([]string{"", "US-TX", "US-NY"}).Draw(t, "asked jurisdiction")
			for name, v := range map[string]string{"type": kind, "jurisdiction": place} {
				if v != "" {
					given[name] = v
				}
			}
			var want [][]any
			for level := 0; code != "" && ask.sees(code); level++ {
				var statuses []string
				for _, c := range all {
					if c.agent == code && (c.kind == kind || kind == "" && c.kind != "AML") && (place == "" || c.jurisdiction == "" || c.jurisdiction == place) && c.on(day) != "" {
						statuses = append(statuses, c.on(day))
					}
				}
				reason, missing := any(nil), m.missing(a, code, day)
				switch {
				case missing != nil: // whoever is eligible is payable, too
					reason = missing[0]
				case len(statuses) == 0:
					reason = "NO_CERTIFICATION"
				case !slices.Contains(statuses, "ACTIVE"):
					reason = "CERTIFICATION_NOT_ACTIVE"
				}
				want = append(want, []any{level, code, "F " + code, reason == nil, reason})
				code = on(a.uplines[code], day)
			}
			w.holds(t, ask, "eligibility", given, want)
		}
	})
}

// Without an agent, with one who is none, and with what is not configured.
func TestEligibilityRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		for want, p := range map[string]parameters{
			"REQUIRED[parameters agentCode]":      {},
			"UNKNOWN_AGENT[parameters agentCode]": {"agentCode": "Z"},
			"OUT_OF_RANGE[parameters type]":       {"agentCode": "A", "type": "Z"},
		} {
			_, err := w.Insight(w.ctx, insights.Request{Slug: "eligibility", Parameters: p})
			equal(t, "refused", refusals(problem.From(err)), []string{want})
		}
	})
}
