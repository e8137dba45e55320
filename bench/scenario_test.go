package main

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
)

// BenchmarkScenario evaluates a scenario, with names, chains and premium, in an agency of
// 100,000 agents: "5,000 moves in an agency of 100,000 evaluated in 2 s; a scenario of 12
// moves in 200 ms"; and compares it with the agency as it is. Agents without anybody below
// them move, as whole offices do, below one other.
//
//	go test ./bench -run '^$' -bench Scenario -benchtime 5x -timeout 60m
func BenchmarkScenario(b *testing.B) {
	const agents = 100_000
	for _, database := range []string{"sqlite", "postgres"} {
		b.Run(database, func(b *testing.B) {
			a := newTrial(b, database, agents)
			a.analyze(b)
			codes, err := store.Collect(a.ctx, a.Store, store.ScanOne[string], "SELECT a.code FROM agency_agent a JOIN hierarchy_node n ON n.tenant_id = a.tenant_id AND n.agent_id = a.id WHERE a.tenant_id = $1 AND n.upline_agent_id IS NOT NULL ORDER BY n.downline_count, a.id LIMIT 5000", a.id())
			must(b, err)
			top, err := store.Collect(a.ctx, a.Store, store.ScanOne[string], "SELECT a.code FROM agency_agent a JOIN hierarchy_node n ON n.tenant_id = a.tenant_id AND n.agent_id = a.id WHERE a.tenant_id = $1 AND n.upline_agent_id IS NULL ORDER BY n.downline_count DESC LIMIT 1", a.id())
			must(b, err)
			run := func(document string, variables map[string]any) (data any) {
				response := a.Graph.Execute(context.WithoutCancel(a.ctx), document, "", variables)
				if len(response.Errors) > 0 {
					b.Fatal(response.Errors)
				}
				must(b, json.Unmarshal(response.Data, &data))
				return data
			}
			for _, n := range []int{1, 12, 5000} {
				var moves []any
				for _, code := range codes[:n] {
					moves = append(moves, map[string]any{"agentCode": code, "newUplineAgentCode": top[0]})
				}
				made := run(`mutation($moves: [ReorgMoveInput!]!) { m: scenarioCreate(input: {name: "Bench", effectiveFrom: "2026-11-01", moves: $moves}) { scenario { id } } }`, map[string]any{"moves": moves})
				id := map[string]any{"id": apptest.At(made, "m.scenario.id")}
				for name, field := range map[string]string{
					"evaluation":     `evaluation { conflicts { code } versions affectedAgentCount premium moves { agent { agentCode displayName } uplines { agentCode displayName } followerCount level levelNeeded premium } }`,
					"authorizations": `authorizations { gained lost }`,
					"difference":     `difference { totals { moved } }`,
				} {
					b.Run(fmt.Sprint(n, " moves/", name), func(b *testing.B) {
						for b.Loop() {
							run("query($id: ID!) { scenario(id: $id) { "+field+" } }", id)
						}
					})
				}
			}
		})
	}
}
