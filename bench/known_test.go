package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
)

// BenchmarkKnown reads lists as they were known before a hundred agents were changed, and
// as they are: "asKnownAt for every field". Compare the times of known=true with those of
// known=false, on one database.
//
//	go test ./bench -run '^$' -bench Known$ -benchtime 20x
func BenchmarkKnown(b *testing.B) {
	const agents, changed = 2000, 100
	for _, database := range []string{"sqlite", "postgres"} {
		b.Run(database, func(b *testing.B) {
			a := newTrial(b, database, agents)
			a.analyze(b)
			ask := func(b *testing.B, text string, variables map[string]any) {
				if response := a.Graph.Execute(context.WithoutCancel(a.ctx), text, "", variables); len(response.Errors) > 0 {
					b.Fatal(response.Errors)
				}
			}
			codes, err := store.Collect(a.ctx, a.Store, store.ScanOne[string], "SELECT code FROM agency_agent WHERE tenant_id = $1 ORDER BY id", a.id())
			must(b, err)
			known := a.Clock.Now().UTC().Format(time.RFC3339Nano)
			a.Clock.Move(time.Second)
			for _, code := range codes[:changed] {
				ask(b, `mutation($in: AgentUpdateInput!) { agentUpdate(input: $in) { applied } }`, map[string]any{"in": map[string]any{"agentCode": code, "lastName": "Known"}})
			}
			for list, text := range map[string]string{
				"agents":         `query($known: DateTime) { agents(first: 50, asKnownAt: $known) { nodes { displayName certifications(first: 5) { nodes { identifier } } } } }`,
				"certifications": `query($known: DateTime) { certifications(first: 50, asKnownAt: $known) { totalCount nodes { identifier agent { displayName } } } }`,
			} {
				for _, variables := range []map[string]any{{}, {"known": known}} {
					b.Run(fmt.Sprint(list, "/known=", len(variables) > 0), func(b *testing.B) {
						for b.Loop() {
							ask(b, text, variables)
						}
					})
				}
			}
		})
	}
}
