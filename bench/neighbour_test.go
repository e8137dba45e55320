package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// BenchmarkNeighbour reads as one tenant: alone, and while another moves agents, eight at once,
// beside dry runs of a reorganisation, all of which wait for the uplines of one team, or for
// SQLite's writer. Beside them a read is to take at most three times as long (p99).
//
//	go test ./bench -run '^$' -bench Neighbour -benchtime 6s
func BenchmarkNeighbour(b *testing.B) {
	for database, open := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.PostgresOwner} {
		b.Run(database, func(b *testing.B) {
			w := apptest.New(b, open(b), apptest.Options{Now: clock.System{}.Now(), Limits: admission.Limits{Wait: 500 * time.Millisecond}})
			w.LoadDemo(b, apptest.Acme, 3000)
			w.LoadDemo(b, apptest.Umbra, 300)
			ctx := w.Context(b, apptest.Acme)
			codes, err := store.Collect(ctx, w.Store, store.ScanOne[string], `SELECT a.code FROM agency_agent a JOIN hierarchy_node n ON n.tenant_id = a.tenant_id AND n.agent_id = a.id
				WHERE a.tenant_id = $1 AND n.downline_count = 0 ORDER BY a.id LIMIT 400`, w.Tenants[apptest.Acme].ID)
			must(b, err)
			var top []string
			for _, code := range codes[:2] { // two uplines of theirs
				top = append(top, fmt.Sprint(apptest.At(w.As(apptest.Acme).Query(b, `query($code: String!) { agent(agentCode: $code) { upline { agentCode } } }`, map[string]any{"code": code}), "agent.upline.agentCode")))
			}
			b.Run("alone", func(b *testing.B) { readsAs(b, w) })
			b.Run("beside", func(b *testing.B) {
				stop, end := context.WithCancel(b.Context())
				var wg sync.WaitGroup
				defer wg.Wait()
				defer end()
				again := func(query string, variables func(n int) map[string]any) {
					c := w.As(apptest.Acme, bearer.TenantScopes()...)
					wg.Go(func() {
						for n := 0; stop.Err() == nil; n++ {
							c.GraphQL(b, query, variables(n))
						}
					})
				}
				for i := range 8 {
					again(`mutation($in: AgentMembershipUpdateInput!) { agentMembershipUpdate(input: $in) { applied } }`, func(n int) map[string]any {
						return map[string]any{"in": map[string]any{"agentCode": codes[10*i+n%10], "membership": map[string]any{"directUpline": top[n%len(top)]}}}
					})
				}
				for range 2 {
					again(`mutation($moves: [ReorgMoveInput!]!) { reorgApply(input: {effectiveFrom: "2030-01-01", moves: $moves}, dryRun: true) { applied } }`, func(n int) map[string]any {
						var moves []any
						for _, code := range codes[100:230] {
							moves = append(moves, map[string]any{"agentCode": code, "newUplineAgentCode": top[n%len(top)]})
						}
						return map[string]any{"moves": moves}
					})
				}
				readsAs(b, w)
			})
		})
	}
}

// readsAs reads pages of the other tenant, eight at once, and reports how long one takes.
func readsAs(b *testing.B, w *apptest.World) {
	c := w.As(apptest.Umbra)
	var mu sync.Mutex
	var took []time.Duration
	b.SetParallelism(4)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			began := time.Now()
			c.Query(b, `{ agents(first: 20) { nodes { agentCode displayName upline { displayName } } } }`, nil)
			mu.Lock()
			took = append(took, time.Since(began))
			mu.Unlock()
		}
	})
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
