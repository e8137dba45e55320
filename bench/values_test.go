package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
)

// BenchmarkKeptValues changes an agent, with what it was before kept and without: "a write
// costs at most 5 % more". Both take turns within one run, so compare their times per
// change; a write that keeps nothing is no mode of Upline's.
//
//	go test ./bench -run '^$' -bench KeptValues -benchtime 3000x -count 6
func BenchmarkKeptValues(b *testing.B) {
	const agents = 2000
	for _, database := range []string{"sqlite", "postgres"} {
		b.Run(database, func(b *testing.B) {
			a := newTrial(b, database, agents)
			a.analyze(b)
			codes, err := store.Collect(a.ctx, a.Store, store.ScanOne[string], "SELECT code FROM agency_agent WHERE tenant_id = $1 ORDER BY id", a.id())
			must(b, err)
			triggers := a.triggers(b)
			n := 0
			for _, kept := range []bool{true, false, true, false} {
				b.Run(fmt.Sprint("kept=", kept), func(b *testing.B) {
					triggers(b, kept)
					defer triggers(b, true)
					for b.Loop() {
						n++
						response := a.Graph.Execute(context.WithoutCancel(a.ctx), `mutation($in: AgentUpdateInput!) { agentUpdate(input: $in) { applied userErrors { message } } }`, "",
							map[string]any{"in": map[string]any{"agentCode": codes[n%agents], "lastName": fmt.Sprint("Name", n)}})
						if len(response.Errors) > 0 {
							b.Fatal(response.Errors)
						}
					}
				})
			}
		})
	}
}

// triggers returns what turns the triggers on and off that keep what agents were before.
func (a *trial) triggers(b *testing.B) func(b *testing.B, on bool) {
	if a.Store.Postgres() {
		return func(b *testing.B, on bool) {
			a.exec(b, "ALTER TABLE agency_agent "+map[bool]string{true: "ENABLE", false: "DISABLE"}[on]+" TRIGGER past_row")
		}
	}
	const name = "agency_agent_past_changed"
	var made string
	_, err := store.One(a.ctx, a.Store, []any{&made}, "SELECT sql FROM sqlite_master WHERE name = $1", name)
	must(b, err)
	isOn := true
	return func(b *testing.B, on bool) {
		if on != isOn {
			a.exec(b, map[bool]string{true: made, false: "DROP TRIGGER " + name}[on])
			isOn = on
		}
	}
}
