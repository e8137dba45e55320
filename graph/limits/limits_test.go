package limits

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

var testSchema = gqlparser.MustLoadSchema(&ast.Source{Input: `
	directive @cost(weight: Int! = 1) on FIELD_DEFINITION
	directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!]) on FIELD_DEFINITION
	directive @mark repeatable on FIELD | QUERY | FRAGMENT_SPREAD | INLINE_FRAGMENT | FRAGMENT_DEFINITION | VARIABLE_DEFINITION

	interface Node { id: ID! summary: Summary }
	type Query {
		agent(code: String): Agent
		agents(first: Int, last: Int, after: String): AgentConnection!
		recent(first: Int = 10): AgentConnection!
		heavy: Agent @cost(weight: 20)
		plain: Agent @cost
		free: Agent @cost(weight: 0)
		dear(first: Int): AgentConnection! @cost(weight: 5)
		node: Node
		nodes(ids: [ID!]!): [Node] @listSize(slicingArguments: ["ids"])
		few: [Agent] @listSize(assumedSize: 4)
		some: [Agent]
		deep(first: Int, offset: Int): AgentConnection!
		found(codes: [String!], in: In): Agent
		move(input: In): Moved @listSize(slicingArguments: ["input.ids"], assumedSize: 9, sizedFields: ["moves", "fails"])
		name: String
	}
	type Agent implements Node {
		id: ID!
		name: String
		kind: Kind
		upline: Agent
		free: Agent @cost(weight: 0)
		score: Int @cost(weight: 3)
		summary: Summary @cost(weight: 7)
		downline(first: Int, last: Int): AgentConnection!
		chain(up: Int): [Agent] @cost(weight: 5) @listSize(slicingArguments: ["up"], assumedSize: 6)
		tree(nodes: Int! = 30): Tree @cost(weight: 20) @listSize(slicingArguments: ["nodes"], sizedFields: ["nodes"])
	}
	type Tree { root: Agent nodes: [Agent] count: Int }
	input In { ids: [ID!] }
	type Moved { moves: [Agent] fails: [Agent] }
	type Summary { count: Int }
	enum Kind { A }
	type AgentConnection { edges: [AgentEdge] nodes: [Agent] pageInfo: PageInfo totalCount: Int }
	type AgentEdge { node: Agent cursor: String }
	type PageInfo { hasNextPage: Boolean }
	type Mutation { touch: String }
`})

// newExecutor returns an executor with the limits, whose operations all
// answer {}.
func newExecutor(config Config) *executor.Executor {
	exec := executor.New(&graphql.ExecutableSchemaMock{
		SchemaFunc: func() *ast.Schema { return testSchema },
		ExecFunc: func(context.Context) graphql.ResponseHandler {
			return graphql.OneShot(&graphql.Response{Data: json.RawMessage("{}")})
		},
	})
	exec.SetParserTokenLimit(MaxTokens)
	exec.SetQueryCache(lru.New[*ast.QueryDocument](100))
	exec.Use(New(config))
	return exec
}

// run sends an operation through an executor.
func run(exec *executor.Executor, query string, variables map[string]any) *graphql.Response {
	ctx := graphql.StartOperationTrace(context.Background())
	op, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: query, Variables: variables, Extensions: map[string]any{"cost": true}})
	if len(errs) > 0 {
		return exec.DispatchError(graphql.WithOperationContext(ctx, op), errs)
	}
	next, ctx := exec.DispatchOperation(ctx, op)
	return next(ctx)
}

// nested returns a query of the given depth.
func nested(depth int) string {
	return "{ agent " + strings.Repeat("{ upline ", depth-2) + "{ id }" + strings.Repeat("}", depth-1)
}

// repeated joins n texts, %d standing for the number of each.
func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+" ", i)
	}
	return b.String()
}

// For each limit of shape: what is at the limit passes, one more is refused
// with the limit's name and maximum.
func TestShapeLimits(t *testing.T) {
	tests := []struct {
		name, limit string
		maximum     int
		query       func(n int) string
	}{
		{"depth", "depth", 10, nested},
		{"depth through fragments", "depth", 10, func(n int) string {
			return "{ agent { ...F } } fragment F on Agent { ... on Node { ... on Agent " + strings.Repeat("{ upline ", n-2) + "{ id }" + strings.Repeat("}", n-2) + "} }"
		}},
		{"depth in introspection", "introspectionDepth", 20, func(n int) string {
			return "{ __type(name: \"Agent\") " + strings.Repeat("{ ofType ", n-2) + "{ name }" + strings.Repeat("}", n-2) + "}"
		}},
		{"root fields", "rootFields", 20, func(n int) string {
			return "{ " + strings.Repeat("name ", n) + "}"
		}},
		{"root fields in a fragment", "rootFields", 20, func(n int) string {
			return "{ name ...F } fragment F on Query { " + strings.Repeat("name ", n-1) + "}"
		}},
		{"fields", "fields", 500, func(n int) string {
			return "{ agent { " + strings.Repeat("id ", n-1) + "} }"
		}},
		{"fields in a fragment", "fields", 500, func(n int) string {
			return "{ agent { " + strings.Repeat("...F ", n/10) + strings.Repeat("id ", n%10) + "} } fragment F on Agent { " + strings.Repeat("id ", 10) + "}"
		}},
		{"aliases", "aliases", 30, func(n int) string {
			return "{ agent { " + repeated(n, "a%d: id") + "} }"
		}},
		{"directives", "directives", 50, func(n int) string {
			return "query ($x: Int @mark) @mark { agents(first: $x) { totalCount ...F @mark ... @mark { totalCount } } name " + strings.Repeat("@mark ", n-5) + "} fragment F on AgentConnection @mark { totalCount }"
		}},
		{"directives, skip and include", "directives", 50, func(n int) string {
			return "{ agent { " + strings.Repeat("id @skip(if: true) ", n) + "} }"
		}},
	}
	exec := newExecutor(Config{})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := test.maximum
			if test.name == "fields in a fragment" {
				n-- // the field agent
			}
			if r := run(exec, test.query(n), nil); len(r.Errors) != 0 {
				t.Errorf("at the limit: %v", r.Errors)
			}
			r := run(exec, test.query(n+1), nil)
			wantExcess(t, r, "GRAPHQL_VALIDATION_FAILED", test.limit, int64(test.maximum))
		})
	}
}

func wantExcess(t *testing.T, r *graphql.Response, code, limit string, maximum int64) {
	t.Helper()
	if len(r.Errors) != 1 || len(r.Data) != 0 {
		t.Fatalf("errors = %v, data = %s, want one error", r.Errors, r.Data)
	}
	e := r.Errors[0].Extensions
	if e["code"] != code || e["limit"] != limit || e["maximum"] != maximum {
		t.Errorf("extensions = %v, want %s, %s of %d", e, code, limit, maximum)
	}
	if want := fmt.Sprintf("the operation exceeds the limit %s of %d with ", limit, maximum); !strings.HasPrefix(r.Errors[0].Message, want) {
		t.Errorf("message = %q, want %q", r.Errors[0].Message, want)
	}
}

func TestTokenLimit(t *testing.T) {
	exec := newExecutor(Config{})
	// "{ agent { ... } }" is 5 tokens, and each "id" one more.
	query := func(tokens int) string { return "{ agent { " + strings.Repeat("id ", tokens-5) + "} }" }
	if r := run(exec, query(MaxTokens), nil); len(r.Errors) != 1 || r.Errors[0].Extensions["limit"] != "fields" {
		t.Errorf("at the limit of tokens: %v, want to reach the limit of fields", r.Errors)
	}
	r := run(exec, query(MaxTokens+1), nil)
	if len(r.Errors) != 1 || r.Errors[0].Extensions["code"] != "GRAPHQL_PARSE_FAILED" {
		t.Errorf("errors = %v, want GRAPHQL_PARSE_FAILED", r.Errors)
	}
}

// The cost of an operation by the rules of weights and pages, and the rows
// and objects it makes room for.
func TestCost(t *testing.T) {
	tests := []struct {
		name, query   string
		variables     map[string]any
		points, nodes int64
	}{
		{"scalar", `{ name }`, nil, 0, 0},
		{"object", `{ agent { id name kind __typename } }`, nil, 1, 1},
		{"nested objects", `{ agent { upline { upline { id } } } }`, nil, 3, 3},
		{"weight", `{ heavy { id } }`, nil, 20, 1},
		{"weight by default", `{ plain { id } }`, nil, 1, 1},
		{"weight 0", `{ free { id } }`, nil, 0, 1},
		{"weight of a scalar", `{ agent { score } }`, nil, 4, 1},
		{"interface weighs as its heaviest", `{ node { summary { count } } }`, nil, 8, 2},
		{"total only", `{ agents(first: 40) { totalCount pageInfo { hasNextPage } } }`, nil, 1, 0},
		{"page", `{ agents(first: 40) { nodes { id } } }`, nil, 41, 40},
		{"page by edges", `{ agents(first: 40) { edges { cursor node { id } } } }`, nil, 41, 40},
		{"page from the end", `{ agents(last: 7) { nodes { id } } }`, nil, 8, 7},
		{"page of usual size", `{ agents { nodes { id } } }`, nil, 51, 50},
		{"page of no size", `{ agents(first: null) { nodes { id } } }`, nil, 51, 50},
		{"page by the schema", `{ recent { nodes { id } } }`, nil, 11, 10},
		{"page over the maximum", `{ agents(first: 1000000) { nodes { id } } }`, nil, 101, 100},
		{"page below nothing", `{ agents(first: -4) { nodes { id } } }`, nil, 1, 0},
		{"page with weight", `{ dear(first: 3) { nodes { id } } }`, nil, 8, 3},
		{"page by variable", `query ($n: Int) { agents(first: $n) { nodes { id } } }`, map[string]any{"n": json.Number("7")}, 8, 7},
		{"page by variable of Go", `query ($n: Int) { agents(first: $n) { nodes { id } } }`, map[string]any{"n": 7}, 8, 7},
		{"page by variable of a decoder", `query ($n: Int) { agents(first: $n) { nodes { id } } }`, map[string]any{"n": 7.0}, 8, 7},
		{"page by text", `query ($n: Int) { agents(first: $n) { nodes { id } } }`, map[string]any{"n": "7"}, 101, 100},
		{"page by default of a variable", `query ($n: Int = 9) { agents(first: $n) { nodes { id } } }`, nil, 10, 9},
		{"page by absent variable", `query ($n: Int) { agents(first: $n) { nodes { id } } }`, nil, 51, 50},
		{"pages in pages", `{ agents(first: 10) { nodes { downline(first: 20) { nodes { upline { id } } } } } }`, nil, 1 + 10*(1+1+20*(1+1)), 10 * (1 + 20*2)},
		{"list without a size", `{ some { id } }`, nil, 1, 1},
		{"list of assumed size", `{ few { id upline { id } } }`, nil, 1 + 4*2, 4 * 2},
		{"list by the elements of an argument", `{ nodes(ids: ["1", "2", "3"]) { id } }`, nil, 4, 3},
		{"list by the elements of a variable", `query ($i: [ID!]!) { nodes(ids: $i) { id } }`, map[string]any{"i": []any{"1", "2"}}, 3, 2},
		{"list by a single element", `{ nodes(ids: "1") { id } }`, nil, 2, 1},
		{"list by no elements", `{ nodes(ids: []) { id } }`, nil, 1, 0},
		{"list by a number", `{ agent { chain(up: 2) { upline { id } } } }`, nil, 1 + 5 + 2*2, 1 + 2*2},
		{"list by no number", `{ agent { chain { id } } }`, nil, 1 + 5 + 6, 1 + 6},
		{"list by null", `{ agent { chain(up: null) { id } } }`, nil, 1 + 5 + 6, 1 + 6},
		{"list by a negative number", `{ agent { chain(up: -2) { id } } }`, nil, 1 + 5, 1},
		{"list in an object", `{ agent { tree(nodes: 400) { count root { id } nodes { upline { id } } } } }`, nil, 1 + 20 + 1 + 400*2, 1 + 1 + 1 + 400*2},
		{"list in an object by default", `{ agent { tree { nodes { id } } } }`, nil, 1 + 20 + 30, 1 + 1 + 30},
		{"list in an object, by fragments", `{ agent { ...T } } fragment T on Agent { tree(nodes: 7) { ...N } } fragment N on Tree { nodes { id } }`, nil, 1 + 20 + 7, 1 + 1 + 7},
		{"two lists by an input", `query ($i: In) { move(input: $i) { moves { id } fails { upline { id } } } }`, map[string]any{"i": map[string]any{"ids": []any{"1", "2"}}}, 1 + 2*1 + 2*2, 1 + 2*1 + 2*2},
		{"two lists by an input of a literal", `{ move(input: {ids: ["1", "2"]}) { moves { id } } }`, nil, 1 + 2, 1 + 2},
		{"two lists by no input", `{ move { moves { id } } }`, nil, 1 + 9, 1 + 9},
		{"lists in pages", `{ agents(first: 10) { nodes { chain(up: 3) { downline(first: 5) { nodes { id } } } } } }`, nil, 1 + 10*(1+5+3*(1+1+5)), 10 * (1 + 3*(1+5))},
		{"skip", `{ agent @skip(if: true) { id } heavy @skip(if: false) { id } }`, nil, 20, 1},
		{"include", `{ agent @include(if: true) { id } heavy @include(if: false) { id } }`, nil, 1, 1},
		{"skip and include", `{ heavy @skip(if: false) @include(if: false) { id } }`, nil, 0, 0},
		{"skip by variable", `query ($s: Boolean!) { ...F @skip(if: $s) ... @include(if: $s) { agent { id } } } fragment F on Query { heavy { id } }`, map[string]any{"s": true}, 1, 1},
		{"fragment twice", `{ ...F ...F } fragment F on Query { agents(first: 2) { nodes { id } } }`, nil, 6, 4},
		{"rows in a fragment", `{ a: agents(first: 2) { ...R } b: agents(first: 30) { ...R } } fragment R on AgentConnection { totalCount nodes { upline { id } } }`, nil, 1 + 2*2 + 1 + 30*2, 4 + 60},
		{"rows in a fragment with a page", `query ($n: Int) { a: agents(first: 2) { ...R } b: agents(first: 3) { ...R } } fragment R on AgentConnection { nodes { downline(first: $n) { nodes { id } } } }`, map[string]any{"n": 4}, 2 + 5*(1+1+4), 5 * (1 + 4)},
		{"mutation", `mutation { touch }`, nil, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := costOf(test.query, test.variables)
			if err != nil {
				t.Fatal(err)
			}
			if got.points != test.points || got.nodes != test.nodes || got.rowPoints != 0 || got.rowNodes != 0 {
				t.Errorf("cost = %+v, want %d points and %d nodes", got, test.points, test.nodes)
			}
			r := run(newExecutor(Config{Enforce: true}), test.query, test.variables)
			want := Cost{Requested: test.points, Actual: test.points, Maximum: 5000}
			if len(r.Errors) != 0 || r.Extensions["cost"] != want {
				t.Errorf("errors %v, extensions.cost = %v, want %v", r.Errors, r.Extensions["cost"], want)
			}
		})
	}
}

// costOf compiles and evaluates a query of one operation.
func costOf(query string, variables map[string]any) (amount, error) {
	exec := newExecutor(Config{})
	ctx := graphql.StartOperationTrace(context.Background())
	op, errs := exec.CreateOperationContext(ctx, &graphql.RawParams{Query: query, Variables: variables})
	if len(errs) > 0 {
		return amount{}, errs
	}
	w, err := readWeights(testSchema)
	return compile(op.Doc, op.Operation, w).total(op.Variables, 50, 100), err
}

// An operation at the maximum runs; one point more is refused when the limits
// are enforced, and reported when they are measured.
func TestCostLimit(t *testing.T) {
	tests := []struct {
		name, limit     string
		at, over        string
		atCost, overTop int64
		maximum         int64
	}{
		{
			"points", "cost",
			// 1 + 49 × (1 + 1 + 100) = 4999, and 1 more for agent.
			`{ agents(first: 49) { nodes { downline(first: 100) { nodes { id } } } } agent { id } }`,
			`{ agents(first: 49) { nodes { downline(first: 100) { nodes { id } } } } agent { id } plain { id } }`,
			5000, 5001, 5000,
		},
		{
			"nodes", "nodes",
			// 100 × (1 + 40 × (1 + 11)) + 100 × (1 + 18) = 50000 objects, and 1
			// more for free, which weighs nothing.
			`{ agents(first: 100) { nodes { downline(first: 40) { nodes { ` + strings.Repeat("free { id } ", 11) + `} } } } recent(first: 100) { nodes { ` + strings.Repeat("free { id } ", 18) + `} } }`,
			`{ agents(first: 100) { nodes { downline(first: 40) { nodes { ` + strings.Repeat("free { id } ", 11) + `} } } } recent(first: 100) { nodes { ` + strings.Repeat("free { id } ", 18) + `} } free { id } }`,
			4302, 4302, 50000,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, enforce := range []bool{false, true} {
				r := run(newExecutor(Config{Enforce: enforce}), test.at, nil)
				if want := (Cost{Requested: test.atCost, Actual: test.atCost, Maximum: 5000}); len(r.Errors) != 0 || r.Extensions["cost"] != want {
					t.Errorf("enforce %t, at the limit: %v %v, want %v", enforce, r.Errors, r.Extensions["cost"], want)
				}
			}
			measured := run(newExecutor(Config{}), test.over, nil)
			if want := (Cost{Requested: test.overTop, Actual: test.overTop, Maximum: 5000}); len(measured.Errors) != 0 || measured.Extensions["cost"] != want {
				t.Errorf("measured: %v %v, want %v", measured.Errors, measured.Extensions["cost"], want)
			}
			enforced := run(newExecutor(Config{Enforce: true}), test.over, nil)
			wantExcess(t, enforced, "COST_LIMIT_EXCEEDED", test.limit, test.maximum)
			if want := (Cost{Requested: test.overTop, Actual: 0, Maximum: 5000}); enforced.Extensions["cost"] != want {
				t.Errorf("refused: extensions.cost = %v, want %v", enforced.Extensions["cost"], want)
			}
		})
	}
}
