package limits

import (
	"context"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

// What the limits add to an operation whose document is cached, its statistics
// included. A point read must stay under 5 µs.
func BenchmarkCached(b *testing.B) {
	for name, query := range map[string]string{
		"point":    `query ($code: String) { agent(code: $code) { id name kind upline { id name } } }`,
		"page":     `query ($n: Int) { agents(first: $n) { nodes { id name upline { id } downline(first: 5) { nodes { id } } } } }`,
		"fragment": `query ($n: Int) { a: agents(first: $n) { ...R } b: agents { ...R } } fragment R on AgentConnection { nodes { downline(first: $n) { nodes { id } } } }`,
	} {
		b.Run(name, func(b *testing.B) {
			exec := newExecutor(Config{Enforce: true})
			ctx := graphql.StartOperationTrace(context.Background())
			op, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: query, Variables: map[string]any{"n": 20}})
			if len(errs) > 0 {
				b.Fatal(errs)
			}
			x := New(Config{Enforce: true})
			x.weights, _ = readWeights(testSchema)
			b.ReportAllocs()
			for b.Loop() {
				op.Stats = graphql.Stats{}
				if err := x.MutateOperationContext(ctx, op); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The first time that an operation is seen.
func BenchmarkFirst(b *testing.B) {
	exec := newExecutor(Config{})
	ctx := graphql.StartOperationTrace(context.Background())
	op, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: introspection})
	if len(errs) > 0 {
		b.Fatal(errs)
	}
	w, _ := readWeights(testSchema)
	b.ReportAllocs()
	for b.Loop() {
		measure(op.Doc, op.Operation)
		compile(op.Doc, op.Operation, w)
	}
}
