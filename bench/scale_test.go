package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// sized is an agency, or a database of many, of a size that is compared with others.
type sized struct {
	size int
	w    *apptest.World
	// contexts are of those who ask, writer of a tenant that has keys.
	contexts []context.Context
	writer   context.Context
	codes    int // of the agents of each tenant
}

// scaled are the questions: what is asked of an agency of any size.
var scaled = []struct{ name, document string }{
	{"point", question{name: "agent"}.document()},
	{"chain", `query($agentCode: String!) { agent(agentCode: $agentCode) { uplineChain { depth since agent { agentCode } } } }`},
	{"page", question{name: "page"}.document()},
	{"count", `{ agents(first: 1) { totalCount } }`},
	{"downline", question{name: "flattened"}.document()},
	{"search a code", `query($agentCode: String!) { agents(first: 10, filter: {query: $agentCode}) { nodes { agentCode displayName } } }`},
	{"search a person", `{ agents(first: 10, filter: {query: "edwards dan"}) { nodes { agentCode displayName } } }`},
	{"search a beginning", `{ agents(first: 10, filter: {query: "edw"}) { nodes { agentCode displayName } } }`},
	{"write", `mutation($agentCode: String!, $name: String!) { agentUpdate(input: {agentCode: $agentCode, lastName: $name, initiator: "scale"}) { applied } }`},
}

// warm is how often each is asked before it counts.
const warm = 10

// ask asks once, as one of its tenants.
func (s *sized) ask(b *testing.B, n int, name, document string) time.Duration {
	ctx := s.contexts[rand.IntN(len(s.contexts))]
	variables := map[string]any{"agentCode": "A" + strconv.Itoa(1000+rand.IntN(s.codes))}
	switch name {
	case "write":
		ctx, variables["name"] = s.writer, fmt.Sprintf("Name%d", n)
	case "downline":
		variables["agentCode"] = "A1000"
	}
	began := time.Now()
	response := s.w.Graph.Execute(ctx, document, "", variables)
	elapsed := time.Since(began)
	if len(response.Errors) > 0 || strings.Contains(string(response.Data), `"agent":null`) || strings.Contains(string(response.Data), `"applied":false`) {
		b.Fatalf("%s of %d: %v %s", name, s.size, response.Errors, response.Data)
	}
	return elapsed
}

// compareSizes asks all sizes the same in turns, so that what else the machine does falls on
// all of them, and tells medians, and ratios to the smallest.
func compareSizes(b *testing.B, what string, all []*sized) {
	times := map[string][][]float64{}
	for _, q := range scaled {
		times[q.name] = make([][]float64, len(all))
	}
	for n := 0; b.Loop(); n++ {
		for _, q := range scaled {
			for k := range all { // none is always the first
				i := (k + n) % len(all)
				s := all[i]
				if elapsed := s.ask(b, n, q.name, q.document); n >= warm {
					times[q.name][i] = append(times[q.name][i], elapsed.Seconds()*1000)
				}
			}
		}
	}
	var lines strings.Builder
	fmt.Fprintf(&lines, "\n| |")
	for _, s := range all {
		fmt.Fprintf(&lines, " %d %s |", s.size, what)
	}
	for _, q := range scaled {
		fmt.Fprintf(&lines, "\n| %s |", q.name)
		first := median(times[q.name][0])
		for i, s := range all {
			m := median(times[q.name][i])
			fmt.Fprintf(&lines, " %.2f ms (%.2f) |", m, m/first)
			b.ReportMetric(m/first, fmt.Sprintf("%s-%d-ratio", strings.ReplaceAll(q.name, " ", "-"), s.size))
		}
	}
	b.Log(lines.String())
}

// BenchmarkScaleAgents compares agencies of 10^4 and 10^5 agents, and of 10^6 with
// UPLINE_BENCH_SCALE=1000000, in one database: "point read, page of 50, downline page and
// write … as ratios in one run". The larger ones are copies of the rows of the smallest
// beside each other, made by statements.
func BenchmarkScaleAgents(b *testing.B) {
	most, _ := strconv.Atoi(os.Getenv("UPLINE_BENCH_SCALE"))
	const smallest = 10_000
	w, url := scaledWorld(b, smallest)
	var all []*sized
	for size := smallest; size <= max(most, 100_000); size *= 10 {
		name := apptest.Acme
		if size > smallest {
			name = fmt.Sprintf("agency%d", size)
			copyAgency(b, w, url, name, size/smallest)
		}
		ctx := w.Context(b, name, apptest.Agency...)
		all = append(all, &sized{size: size, w: w, contexts: []context.Context{ctx}, writer: ctx, codes: smallest})
	}
	if err := settle(b.Context(), url); err != nil {
		b.Fatal(err)
	}
	compareSizes(b, "agents", all)
}

// few is how many agents each of many agencies has.
const few = 20

// BenchmarkScaleTenants compares databases of 10^2, 10^3 and 10^4 agencies of a few agents
// each. Any of them is asked; two write, as the copies have no keys.
func BenchmarkScaleTenants(b *testing.B) {
	var all []*sized
	for _, size := range []int{100, 1000, 10_000} {
		w, url := scaledWorld(b, few)
		in := &sized{size: size, w: w, writer: w.Context(b, apptest.Acme), codes: few}
		for _, t := range copyAgencies(b, w, url, size-2) {
			in.contexts = append(in.contexts, tenant.WithCaller(tenant.With(b.Context(), t), tenant.Caller{Subject: "bench", ClientID: "bench", Scopes: apptest.Agency}))
		}
		if err := settle(b.Context(), url); err != nil {
			b.Fatal(err)
		}
		all = append(all, in)
	}
	compareSizes(b, "tenants", all)
}

// scaledWorld is a server on a database of its own with an agency of so many agents.
func scaledWorld(b *testing.B, agents int) (w *apptest.World, url string) {
	url = dbtest.OwnerURL(dbtest.PostgresURL(b))
	s, err := store.Open(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	w = apptest.New(b, s, apptest.Options{Now: clock.System{}.Now()})
	w.LoadDemo(b, apptest.Acme, agents)
	return w, url
}
