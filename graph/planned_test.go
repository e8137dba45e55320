package graph

import (
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// A query whose root fields all have plans runs without the executor, and no other does.
func TestWhollyPlannedQueries(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, ctx := demoServer(t, s)
		stranger := tenant.WithCaller(ctx, tenant.Caller{Subject: "t"})
		for _, c := range []struct {
			query string
			data  string // empty where the executor answers
		}{
			{`{ agent(agentCode: "A1000") { agentCode } }`, `{"agent":{"agentCode":"A1000"}}`},
			{`{ a: agent(agentCode: "A1000") { agentCode } agent(agentCode: "none") { agentCode } }`, `{"a":{"agentCode":"A1000"},"agent":null}`},
			{`{ __typename agent(agentCode: "A1000") { agentCode } }`, ""},
			{`{ agent(agentCode: "A1000") @include(if: true) { agentCode } }`, ""},
			{`{ ... { agent(agentCode: "A1000") { agentCode } } }`, ""},
			{`{ agent(agentCode: "A1000") { agentCode } agent(agentCode: "A1000") { lastName } }`, ""},
			{`{ agent(agentCode: "A1000") { agentCode } viewer { subject } }`, ""},
			{`{ agents(first: 101) { nodes { agentCode } } }`, ""},
		} {
			op, errs := server.CreateOperationContext(graphql.StartOperationTrace(ctx), paramsOf(c.query, "", nil))
			if errs != nil {
				t.Fatalf("%s: %v", c.query, errs)
			}
			answer, elsewhere := server.plans.Query(ctx, op)
			switch {
			case answer == nil && elsewhere == nil, (answer != nil) != (c.data != ""):
				t.Errorf("%s: answered without the executor: %t", c.query, answer != nil)
			case answer != nil && string(answer.Data) != c.data:
				t.Errorf("%s: %s", c.query, answer.Data)
			}
			if refused, _ := server.plans.Query(stranger, op); refused != nil {
				t.Errorf("%s: a caller without the scope is answered %s", c.query, refused.Data)
			}
			op.Extensions = map[string]any{"cost": true}
			if told, _ := server.plans.Query(ctx, op); told != nil {
				t.Errorf("%s: an answer that is to say its cost does not", c.query)
			}
		}
	})
}
