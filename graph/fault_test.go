package graph_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/graph/playground"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A fault of the server shows nothing of itself: a generic text and the trace
// id under which it was logged.
func TestFaultsAreMasked(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "A1", "", "2025-01-01")
		ctx := w.Context(t, apptest.Acme)
		if err := dbtest.Owner(t, w.Store).InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "ALTER TABLE agency_phone RENAME TO gone")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for _, operation := range []string{
			`{ agent(agentCode: "A1") { agentCode cellPhone { phoneNumber } } }`,
			`mutation { agentRegister(input: {firstName: "A", lastName: "B", status: "Active", teams: [{membership: {}}], cellPhone: {phoneNumber: "1"}, initiator: "x"}) { applied } }`,
		} {
			_, errs := c.GraphQL(t, operation, nil)
			if len(errs) == 0 {
				t.Fatalf("%s: no error", operation)
			}
			trace, _ := errs[0].Extensions["traceId"].(string)
			equal(t, "code", errs[0].Code(), "INTERNAL_SERVER_ERROR")
			equal(t, "message", errs[0].Message, "The server could not answer. Name the trace id when you ask for help.")
			if len(trace) != 32 || !strings.Contains(w.Logged(), trace) {
				t.Errorf("trace id %q is not in the log", trace)
			}
		}
		if !strings.Contains(w.Logged(), "agency_phone") {
			t.Error("the log does not tell what went wrong")
		}
	})
}

// Every error at the top carries a code and the trace id.
func TestErrorsCarryCodeAndTrace(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		aliases := strings.Repeat("x", 31)
		for i := range aliases {
			aliases += " a" + itoa(i) + ": viewer { today }"
		}
		for _, test := range []struct{ name, query, code string }{
			{"no GraphQL", `{ agents(`, "GRAPHQL_PARSE_FAILED"},
			{"an unknown field", `{ agents { nodes { shoeSize } } }`, "GRAPHQL_VALIDATION_FAILED"},
			{"a problem of a read", `{ agents(first: 101) { totalCount } }`, "BAD_USER_INPUT"},
			{"an unknown team", `{ uplinePeriods(team: "west") { totalCount } }`, "BAD_USER_INPUT"},
			{"depth", `{ agent(agentCode: "A") ` + strings.Repeat("{ upline ", 10) + "{ id } " + strings.Repeat("}", 10) + "}", "GRAPHQL_VALIDATION_FAILED"},
			{"aliases", "{ " + aliases[31:] + " }", "GRAPHQL_VALIDATION_FAILED"},
			{"tokens", "{ " + strings.Repeat("viewer { today } ", 501) + "}", "GRAPHQL_PARSE_FAILED"},
			{"a date that is none", `{ agent(agentCode: "A", onDate: "2026-02-30") { id } }`, "BAD_USER_INPUT"},
		} {
			_, errs := c.GraphQL(t, test.query, nil)
			if len(errs) == 0 {
				t.Errorf("%s: no error", test.name)
				continue
			}
			equal(t, test.name, errs[0].Code(), test.code)
			if trace, _ := errs[0].Extensions["traceId"].(string); len(trace) != 32 {
				t.Errorf("%s: trace id %q", test.name, trace)
			}
		}
	})
}

// Introspection is on for everyone with a token, deep enough for the tools.
func TestIntrospection(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		data := w.As(apptest.Acme, "read:roles").Query(t, `{ __schema { queryType { name } mutationType { name } directives { name args { name } }
			types { kind name description fields(includeDeprecated: true) { name description args { name type { ...t } } type { ...t } } inputFields { name type { ...t } } enumValues { name } possibleTypes { name } } } }
			fragment t on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } }`, nil)
		names := apptest.Each(data, "__schema.types", "name")
		if len(names) < 60 {
			t.Errorf("%d types", len(names))
		}
		equal(t, "query", apptest.At(data, "__schema.queryType.name"), "Query")
	})
}

// The examples of the playground are operations of this schema, and run.
func TestPlaygroundExamples(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 30)
		c := w.As(apptest.Acme)
		examples := playground.DefaultExamples("A1000", "A1000")
		equal(t, "examples", len(examples) > 3, true)
		for _, e := range examples {
			if _, err := gqlparser.LoadQueryWithRules(w.Graph.Schema(), e.Query, nil); err != nil {
				t.Errorf("%s: %v", e.Name, err)
				continue
			}
			variables := object{}
			if e.Variables != "" {
				if err := json.Unmarshal([]byte(e.Variables), &variables); err != nil {
					t.Errorf("%s: %v", e.Name, err)
				}
			}
			data, errs := c.GraphQL(t, e.Query, variables)
			if errs != nil {
				t.Errorf("%s: %+v", e.Name, errs)
			}
			for name, answer := range data.(object) {
				equal(t, e.Name+" answers "+name, answer != nil, true)
			}
		}
	})
}
