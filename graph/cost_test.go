package graph

import (
	"context"
	"fmt"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// "A downline of a downline with certifications (20 × 20) is an analyst's first
// query": it is admitted. A hundred of a hundred are not.
func TestHonestQuestionsAreAdmitted(t *testing.T) {
	server, ctx := demoServer(t, dbtest.SQLite(t))
	below := func(size, certifications, inner string) string {
		return "downline(depth: 1, first: " + size + ") { nodes { agentCode certifications" + certifications + " { nodes { identifier status type { code } } } " + inner + " } }"
	}
	for _, test := range []struct {
		query  string
		points int64
		refuse bool
	}{
		{`{ agent(agentCode: "A1000") { ` + below("20", "", below("20", "", "")) + ` } }`, 3046, false},
		{`{ agent(agentCode: "A1000") { ` + below("20", "(first: 2)", below("20", "(first: 2)", "")) + ` } }`, 1786, false},
		{`{ agent(agentCode: "A1000") { ` + below("100", "", below("100", "", "")) + ` } }`, 0, true},
	} {
		params := &graphql.RawParams{Query: test.query, Extensions: map[string]any{"cost": true}}
		r := respond(ctx, server, params)
		if refused := len(r.Errors) > 0 && r.Errors[0].Extensions["code"] == limits.CodeCost; refused != test.refuse || !refused && len(r.Errors) > 0 {
			t.Errorf("%s: %v", test.query, r.Errors)
		}
		if cost, ok := r.Extensions["cost"].(limits.Cost); !test.refuse && (!ok || cost.Requested != test.points) {
			t.Errorf("%s: costs %+v, want %d points", test.query, cost, test.points)
		}
	}
	// The body says it only to who asks for it.
	for _, asked := range []any{nil, false, "true", true} {
		params := &graphql.RawParams{Query: `{ agent(agentCode: "A1000") { agentCode } }`, Extensions: map[string]any{"cost": asked}}
		r := respond(ctx, server, params)
		if _, shown := r.Extensions["cost"]; shown != (asked == true) || len(r.Errors) > 0 {
			t.Errorf("asked with %v: %v, %v", asked, r.Extensions, r.Errors)
		}
	}
}

// A comparison of two days costs what it takes, half a second in an agency of 100,000: ten in
// one request are refused before the first begins, nine are answered.
func TestComparisonsCostWhatTheyTake(t *testing.T) {
	server, ctx := demoServer(t, dbtest.SQLite(t))
	for _, test := range []struct {
		times  int
		refuse bool
	}{{9, false}, {10, true}} {
		query := "{"
		for i := range test.times {
			query += fmt.Sprintf(` d%d: hierarchyDiff(fromDate: "2025-01-01", toDate: "2026-05-04", maxChanges: 1) { totals { added } }`, i)
		}
		r := respond(ctx, server, &graphql.RawParams{Query: query + " }"})
		if refused := len(r.Errors) > 0 && r.Errors[0].Extensions["code"] == limits.CodeCost; refused != test.refuse || !refused && len(r.Errors) > 0 {
			t.Errorf("%d comparisons: %v", test.times, r.Errors)
		}
	}
}

// respond runs an operation as the transport does.
func respond(ctx context.Context, s *Server, params *graphql.RawParams) *graphql.Response {
	ctx = graphql.StartOperationTrace(ctx)
	op, errs := s.CreateOperationContext(ctx, params)
	return s.answer(ctx, op, errs)
}
