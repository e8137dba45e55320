package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/admission"
	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
)

var costAgents = flag.Int("cost-agents", 50_000, "agents of BenchmarkCost")

// pointsSecond are the points that flow back into a client's budget in a second.
const pointsSecond = 5000

// BenchmarkCost asks what costs little before it runs and reads much, and says what the
// client's budget lost in the end. "None may take more than a second of CPU per second
// of budget it costs": of-paid is how much of the time that was paid for it used, in
// this process and in PostgreSQL.
func BenchmarkCost(b *testing.B) {
	codes := make([]string, 100)
	for i := range codes {
		codes[i] = fmt.Sprintf("%q", fmt.Sprintf("A%d", 1000+i))
	}
	for database, open := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(database, func(b *testing.B) {
			w := apptest.New(b, open(b), apptest.Options{Now: clock.System{}.Now(), Limits: admission.Limits{ClientCost: 50_000_000}})
			w.LoadDemo(b, apptest.Acme, *costAgents)
			w.RebuildNow(b, apptest.Acme)
			a := &trial{World: w, ctx: w.Context(b, apptest.Acme), agents: *costAgents}
			caller := w.As(apptest.Acme, apptest.Agency...)
			below := "downline(level: 1, first: 20) { nodes { agentCode certifications { nodes { identifier status } } %s } }"
			for name, query := range map[string]string{
				"counts":      "{ " + repeat(20, "a%d: certificationPeriods(first: 1, offset: 20000) { totalCount } ") + "}",
				"codes":       "{ " + repeat(20, "a%d: agents(first: 1, filter: {agentCodes: ["+strings.Join(codes, ",")+"]}) { totalCount } ") + "}",
				"expirations": "{ " + repeat(20, "a%d: licenseExpirations(withinDays: 365, first: 1) { daysRemaining } ") + "}",
				"unlicensed":  `{ insight(slug: "unlicensed-active-agents", first: 1) { totalCount } }`,
				"downlines":   fmt.Sprintf(`{ agent(agentCode: "A1000") { `+below+" } }", fmt.Sprintf(below, "")),
			} {
				b.Run(name, func(b *testing.B) {
					before, used := remaining(b, caller), -a.used(b)
					for b.Loop() {
						_, errs := caller.GraphQL(b, query, nil)
						if len(errs) > 0 {
							b.Log(errs)
						}
					}
					used += a.used(b)
					paid := float64(before-remaining(b, caller)) / float64(b.N)
					each := used.Seconds() / float64(b.N)
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(each*1000, "cpu-ms")
					b.ReportMetric(paid, "points")
					b.ReportMetric(each/(paid/pointsSecond), "of-paid")
				})
			}
		})
	}
}

func repeat(n int, text string) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, text, i)
	}
	return s.String()
}

// remaining is what is left of the caller's budget, with one point for the question.
func remaining(b *testing.B, caller *apptest.Caller) int64 {
	b.Helper()
	r := caller.GraphQLWith(b, nil, "{ __typename }", nil)
	throttle, _ := r.Extensions["cost"].(map[string]any)
	left, ok := throttle["remaining"].(float64)
	if !ok {
		b.Fatalf("no cost in %v", r.Extensions)
	}
	return int64(left)
}
