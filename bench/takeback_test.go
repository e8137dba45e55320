package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// BenchmarkTakeBack takes back a change, which costs at most three times as much as the change,
// and an import; it tells a page of changes with their values, and why a value is what it is. The
// trail has ten entries for each agent before.
//
//	go test ./bench -run '^$' -bench TakeBack -benchtime 20x
//	go test ./bench -run '^$' -bench TakeBack/sqlite -benchtime 20x -insight-agents 5000 -import-rows 1000
func BenchmarkTakeBack(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.PostgresOwner} {
		b.Run(name, func(b *testing.B) {
			w := apptest.New(b, open(b), apptest.Options{Now: clock.System{}.Now()})
			w.LoadDemo(b, apptest.Acme, *insightAgents)
			r := &redo{w: w, c: w.WithToken(apptest.Acme, w.As(apptest.Acme, bearer.TenantScopes()...).Token(b))}
			var err error
			r.codes, err = store.Collect(b.Context(), w.Store, store.ScanOne[string], "SELECT code FROM agency_agent WHERE tenant_id = $1 ORDER BY id", w.Tenants[apptest.Acme].ID)
			must(b, err)
			r.fillTrail(b)
			for n := range 60 {
				r.change(b, n)
			}
			b.Run("change", r.changes)
			b.Run("undo", r.undoes)
			b.Run("page", r.pages)
			b.Run("explain", r.explains)
			b.Run("import", r.imports)
		})
	}
}

// redo changes agents of a large agency and takes that back.
type redo struct {
	w     *apptest.World
	c     *apptest.Caller
	codes []string
}

// fillTrail writes entries about agents, as if much had been changed.
func (r *redo) fillTrail(b *testing.B) {
	ctx := r.w.Context(b, apptest.Acme)
	for range 10 {
		for some := range slices.Chunk(r.codes, 1000) {
			var all []audit.Entry
			for _, code := range some {
				all = append(all, audit.Entry{EntityType: "Agent", EntityKeys: []string{code}, Changes: []audit.Change{{Field: "npn"}}})
			}
			r.w.Clock.Move(time.Millisecond)
			must(b, r.w.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
				return r.w.Audit.WriteAll(ctx, tx, r.w.Clock.Now(), all)
			}))
		}
		must(b, r.w.Audit.LinkAll(ctx))
	}
}

func (r *redo) change(b *testing.B, n int) {
	r.w.Clock.Move(time.Millisecond)
	r.done(b, `mutation($in: AgentUpdateInput!) { m: agentUpdate(input: $in) { applied userErrors { message } } }`, map[string]any{"in": map[string]any{"agentCode": r.codes[n*31%len(r.codes)], "middleName": fmt.Sprint("M", r.w.Clock.Now().UnixMilli())}})
}

// done sends a mutation that has to be applied.
func (r *redo) done(b *testing.B, document string, variables map[string]any) {
	b.Helper()
	if data := r.c.Query(b, document, variables); apptest.At(data, "m.applied") != true {
		b.Fatal(data)
	}
}

// last is the number of the newest entry.
func (r *redo) last(b *testing.B) any {
	return apptest.At(r.c.Query(b, `{ auditLog(first: 1, filter: {kind: WRITE}) { nodes { sequence } } }`, nil), "auditLog.nodes.0.sequence")
}

func (r *redo) undo(b *testing.B, number any) {
	r.done(b, `mutation($n: Long!) { m: changeUndo(input: {sequence: $n}) { applied userErrors { code message } } }`, map[string]any{"n": json.Number(fmt.Sprint(number))})
}

func (r *redo) changes(b *testing.B) {
	for n := 0; b.Loop(); n++ {
		r.change(b, n)
	}
}

func (r *redo) undoes(b *testing.B) {
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		r.change(b, n)
		number := r.last(b)
		r.w.Clock.Move(time.Millisecond)
		b.StartTimer()
		r.undo(b, number)
	}
}

func (r *redo) pages(b *testing.B) {
	for b.Loop() {
		r.c.Query(b, `{ changes(first: 60) { nodes { sequence field values { effectiveFrom effectiveThrough old new } } } }`, nil)
	}
}

func (r *redo) explains(b *testing.B) {
	id := apptest.At(r.c.Query(b, `query($code: String!) { agent(agentCode: $code) { id } }`, map[string]any{"code": r.codes[31]}), "agent.id")
	for b.Loop() {
		r.c.Query(b, `query($of: ID!) { explain(of: $of, field: "middleName") { sequence } }`, map[string]any{"of": id})
	}
}

func (r *redo) imports(b *testing.B) {
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		var file strings.Builder
		file.WriteString("agentCode,customerId\n")
		for _, code := range r.codes[:min(5000, *importRows, len(r.codes))] {
			fmt.Fprintf(&file, "%s,C%d\n", code, r.w.Clock.Now().UnixMilli())
		}
		r.w.Clock.Move(time.Millisecond)
		began := time.Now()
		answer := r.c.Upload(b, `mutation($input: BulkImportInput!) { m: bulkImport(input: $input) { applied updatedCount } }`, map[string]any{"entity": "AGENT", "key": fmt.Sprint("K", r.w.Clock.Now().UnixMilli())}, file.String())
		b.ReportMetric(time.Since(began).Seconds(), "s/import")
		if apptest.At(answer.Data, "m.applied") != true {
			b.Fatal(answer)
		}
		number := r.last(b)
		r.w.Clock.Move(time.Millisecond)
		b.StartTimer()
		r.undo(b, number)
	}
}
