package graph

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/generated"
	"github.com/uplinehq/upline/graph/planned"
	"github.com/uplinehq/upline/graph/resolve"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/words/clock"
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

// How a plan ends is noted: answered, declined, given up for a refusal, or with the panic
// that the executor would hide.
func TestOutcomesOfPlansAreNoted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, v, ctx := demoServerAndVault(t, s)
		c := clock.At(time.Date(2026, 5, 4, 15, 0, 0, 0, time.UTC))
		var noted []planned.Outcome
		note := func(_ context.Context, o planned.Outcome, field string, value any) {
			if noted = append(noted, o); field == "" || (o == planned.Panicked) != (value != nil) && o != planned.GivenUp {
				t.Errorf("%s of %q with %v", o, field, value)
			}
		}
		executable := generated.NewExecutableSchema(generated.Config{})
		sound := planned.New(&resolve.Resolver{Store: s, Clock: c, Agency: agency.New(s, c, v), Hierarchy: hierarchy.New(s, c), Vault: v}, generated.NewArguments(executable), note)
		broken := planned.New(&resolve.Resolver{}, generated.NewArguments(executable), note)
		for _, c := range []struct {
			plans planned.Plans
			query string
			want  planned.Outcome
		}{
			{sound, `{ agent(agentCode: "A1000") { lastName } }`, planned.Answered},
			{sound, `{ agents(first: 101) { nodes { agentCode } } }`, planned.GivenUp},
			{broken, `{ agent(agentCode: "A1000") { lastName } }`, planned.Panicked},
		} {
			op, errs := server.CreateOperationContext(graphql.StartOperationTrace(ctx), paramsOf(c.query, "", nil))
			if errs != nil {
				t.Fatalf("%s: %v", c.query, errs)
			}
			noted = nil
			if answer, _ := c.plans.Query(ctx, op); (answer != nil) != (c.want == planned.Answered) || !slices.Equal(noted, []planned.Outcome{c.want}) {
				t.Errorf("%s: answered %t, noted %v, want %s", c.query, answer != nil, noted, c.want)
			}
		}
	})
}
