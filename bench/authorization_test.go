package main

import (
	"testing"

	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// BenchmarkAuthorization asks whether 1,000 agents may sell a product in a state: "1,000
// agents × 1 product × 1 state ≤ 50 ms", with a rule about the agent alone and with one about
// its upline; beside it a point read, for the ratio; and everybody's answers, told one by one.
//
//	go test ./bench -run '^$' -bench Authorization -benchtime 20x -timeout 20m
func BenchmarkAuthorization(b *testing.B) {
	const agents = 5000
	for _, database := range []string{"sqlite", "postgres"} {
		b.Run(database, func(b *testing.B) {
			a := newTrial(b, database, agents)
			a.analyze(b)
			codes, err := store.Collect(a.ctx, a.Store, store.ScanOne[string], "SELECT code FROM agency_agent WHERE tenant_id = $1 ORDER BY id LIMIT 1000", a.id())
			must(b, err)
			service, at := authorization.New(a.Store), history.AsOf{Day: clock.Today(a.Clock, a.Tenants["acme"].Zone)}
			b.Run("point read", func(b *testing.B) {
				for b.Loop() {
					_, err := store.One(a.ctx, a.Store, []any{new(int64)}, "SELECT id FROM agency_agent WHERE tenant_id = $1 AND code = $2", a.id(), codes[0])
					must(b, err)
				}
			})
			for name, place := range map[string]string{"agents alone": "US-TX", "with uplines": "US-NY"} {
				b.Run(name, func(b *testing.B) {
					size := 1000
					for b.Loop() {
						p, err := service.Page(page.WithAtLeast(a.ctx, size), authorization.Question{AgentCodes: codes, Products: []string{"TERM-LIFE"}, Jurisdictions: []string{place}, AsOf: at}, page.Args{First: &size})
						if must(b, err); len(p.Items) != size {
							b.Fatalf("%d rows", len(p.Items))
						}
					}
				})
			}
			b.Run("everybody authorized", func(b *testing.B) {
				status := authorization.Authorized
				for b.Loop() {
					rows := 0
					must(b, authorization.Each(a.ctx, a.Store, authorization.Question{Status: &status, AsOf: at}, func(authorization.Row) bool { rows++; return true }))
					b.ReportMetric(float64(rows), "rows")
				}
			})
		})
	}
}
