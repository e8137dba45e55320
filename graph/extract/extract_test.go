package extract_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/uplinehq/upline/graph/extract"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

var schema = gqlparser.MustLoadSchema(&ast.Source{Name: "test", Input: `
directive @hasScope(scope: String!) on FIELD_DEFINITION
scalar Date
scalar DateTime
scalar Decimal
type Query {
  agent(code: String!, onDate: Date): Agent @hasScope(scope: "read:agents")
  agents(filter: String, first: Int, after: String, last: Int, before: String, offset: Int): AgentConnection! @hasScope(scope: "read:agents")
  list: [Agent!]! @hasScope(scope: "read:agents")
  node(id: ID!): Node
}
type Mutation { agentDelete: Boolean }
interface Node { id: ID! }
type PageInfo { hasNextPage: Boolean! endCursor: String }
type AgentConnection { nodes: [Agent!]! edges: [Edge!]! pageInfo: PageInfo! totalCount: Int! }
type Edge { node: Agent! }
type Agent implements Node { id: ID! code: String! level: Int premium: Decimal isActive: Boolean! start: Date changed: DateTime! tags: [String!]! address: Address chain: [Agent!]!
  downline(first: Int, after: String): AgentConnection! users(role: String): [Users!]! @hasScope(scope: "read:users") }
type Users { name: String! }
type Address { city: String! zip: String }
`})

func compile(document, path string) (*extract.Connection, error) {
	return extract.New(schema, document, path, func(*ast.QueryDocument, gqlerror.List) {})
}

// What a document reads is the connection, whatever else it selects; and what it
// becomes is a valid query.
func TestConnections(t *testing.T) {
	for name, test := range map[string]struct {
		document, path, rows string
		columns, scopes      []string
		has, hasNot          []string
	}{
		"the simplest": {`{ agents { nodes { code } } }`, "agents", "nodes", []string{"code"}, []string{"read:agents"}, []string{"exportFirst", "totalCount"}, nil},
		"aliases":      {`{ x: agents { y: nodes { b: level a: code } } agents { totalCount } }`, "x", "y", []string{"b", "a"}, []string{"read:agents"}, nil, []string{"agents { totalCount }"}},
		"below an object, with its variables": {`query Q($c: String!, $d: Date) { agent(code: $c, onDate: $d) { code downline { pageInfo { endCursor } totalCount nodes { code } } } other: agents { totalCount } }`,
			"agent.downline", "nodes", []string{"code"}, []string{"read:agents"}, []string{"$c", "$d"}, []string{"other"}},
		"nested objects and lists": {`{ agents { nodes { code address { city zip } chain { code } tags users { name } } } }`, "agents", "nodes",
			[]string{"code", "address.city", "address.zip", "chain", "tags", "users"}, []string{"read:agents", "read:users"}, nil, nil},
		"fragments": {`query($v: Boolean!) { ...Root } fragment Root on Query { agents { ... on AgentConnection { ...Page } } agent(code: "x") { code } }
			fragment Page on AgentConnection { nodes { ...Row address { zip } ...Row } pageInfo { endCursor } } fragment Row on Agent { code address { city @include(if: $v) } }`,
			"agents", "nodes", []string{"code", "address.city", "address.zip"}, []string{"read:agents"}, []string{"fragment Row", "$v"}, []string{`"x"`}},
		"through an interface": {`{ node(id: "1") { ... on Agent { downline { nodes { id } } } id } }`, "node.downline", "nodes", []string{"id"}, nil, nil, nil},
	} {
		c, err := compile(test.document, test.path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var names []string
		for _, column := range c.Columns {
			names = append(names, column.Name())
		}
		if !slices.Equal(names, test.columns) || !slices.Equal(c.Scopes, test.scopes) || c.Rows != test.rows || strings.Join(c.Path, ".") != test.path {
			t.Errorf("%s: columns %q, scopes %q, rows %q", name, names, c.Scopes, c.Rows)
		}
		if _, errs := gqlparser.LoadQueryWithRules(schema, c.Document, rules.NewDefaultRules()); errs != nil {
			t.Errorf("%s becomes\n%s, which is not valid: %v", name, c.Document, errs)
		}
		for _, text := range test.has {
			if !strings.Contains(c.Document, text) {
				t.Errorf("%s becomes\n%s without %s", name, c.Document, text)
			}
		}
		for _, text := range test.hasNot {
			if strings.Contains(strings.Join(strings.Fields(c.Document), " "), text) {
				t.Errorf("%s becomes\n%s with %s", name, c.Document, text)
			}
		}
	}
}

func TestKinds(t *testing.T) {
	c, err := compile(`{ agents { nodes { id code level premium isActive start changed tags __typename } } }`, "agents")
	if err != nil {
		t.Fatal(err)
	}
	want := []value.Type{value.Text, value.Text, value.Integer, value.Decimal, value.Boolean, value.Date, value.DateTime, value.Text, value.Text}
	for i, column := range c.Columns {
		if cmp.Or(column.Kind, value.Text) != want[i] {
			t.Errorf("%s is of kind %v, want %v", column.Name(), column.Kind, want[i])
		}
	}
}

// bomb is a document of fragments on a type, of which each spreads the next one
// twice: 2ⁿ selections in some hundred tokens ("billion laughs").
func bomb(query, on, leaf string, n int) string {
	var b strings.Builder
	b.WriteString(query)
	for i := range n {
		fmt.Fprintf(&b, " fragment F%d on %s { ...F%d ...F%d }", i, on, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment F%d on %s { %s }", n, on, leaf)
	return b.String()
}

// A document is measured before anything goes over it with its fragments spread out:
// work that grew with these would not end.
func TestBombsAreRefused(t *testing.T) {
	for name, document := range map[string]string{
		"beside the connection": bomb(`{ agents { nodes { id } } ...F0 }`, "Query", "list { id }", 100),
		"around the connection": bomb(`{ ...F0 }`, "Query", "agents { nodes { id } }", 100),
		"around the rows":       bomb(`{ agents { ...F0 } }`, "AgentConnection", "nodes { id }", 100),
		"beside the rows":       bomb(`{ agents { nodes { id } ...F0 } }`, "AgentConnection", "totalCount", 100),
		"in the rows":           bomb(`{ agents { nodes { ...F0 } } }`, "Agent", "id", 100),
		"below the rows":        bomb(`{ agents { nodes { id chain { ...F0 } } } }`, "Agent", "id", 100),
	} {
		_, err := compile(document, "agents")
		if problems := problem.From(err); problems == nil || problems[0].Field[0] != "query" || !strings.Contains(problems[0].Message, "exceeds the limit") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct{ document, path, field, message string }{
		"no GraphQL":             {`{ agents {`, "agents", "query", "not a valid query"},
		"an unknown field":       {`{ agents { nodes { nothing } } }`, "agents", "query", "line 1, column 20"},
		"a mutation":             {`mutation { agentDelete }`, "agentDelete", "query", "one query"},
		"two queries":            {`query A { agents { nodes { id } } } query B { agents { nodes { id } } }`, "agents", "query", "one query"},
		"another path":           {`{ agents { nodes { id } } }`, "agent", "connectionPath", "connection that the query selects"},
		"the name for the alias": {`{ x: agents { nodes { id } } }`, "agents", "connectionPath", "connection that the query selects"},
		"no path":                {`{ agents { nodes { id } } }`, "", "connectionPath", "connection that the query selects"},
		"an object":              {`{ agent(code: "1") { id } }`, "agent", "connectionPath", "connection, a list that is read in pages"},
		"a list":                 {`{ list { id } }`, "list", "connectionPath", "connection, a list that is read in pages"},
		"through a list":         {`{ list { downline { nodes { id } } } }`, "list.downline", "connectionPath", "through the list list"},
		"through a connection":   {`{ agents { nodes { downline { nodes { id } } } } }`, "agents.nodes.downline", "connectionPath", "through the list agents"},
		"edges":                  {`{ agents { edges { node { id } } } }`, "agents", "query", "under nodes"},
		"nodes twice":            {`{ agents { a: nodes { id } b: nodes { code } } }`, "agents", "query", "once"},
		"a page":                 {`{ agents(first: 10) { nodes { id } } }`, "agents", "query", "leave out first"},
		"an offset":              {`{ agents(offset: 10) { nodes { id } } }`, "agents", "query", "leave out offset"},
		"a nested connection":    {`{ agents { nodes { chain { downline { nodes { id } } } } } }`, "agents", "query", "chain.downline of each row"},
		"our variable":           {`query($exportFirst: String) { agents(filter: $exportFirst) { nodes { id } } }`, "agents", "query", "exportFirst"},
		"our alias":              {`{ agents { exportTotal: nodes { id } } }`, "agents", "query", "exportTotal"},
		"rows left out":          {`{ agents { nodes @include(if: false) { id } } }`, "agents", "query", "without directives"},
		"rows around":            {`{ agents { ... @skip(if: true) { ... { nodes { id } } } } }`, "agents", "query", "without directives"},
		"rows of a spread":       {`{ agents { ...Page @include(if: false) } } fragment Page on AgentConnection { nodes { id } }`, "agents", "query", "without directives"},
		"no operation":           {`fragment Row on Agent { id }`, "agents", "query", "not a valid query"},
		"nothing":                {``, "agents", "query", "a document of one query"},
		"twice":                  {`{ agents { nodes { id } } ... { agents { nodes { id } } } }`, "agents", "query", "once"},
	} {
		_, err := compile(test.document, test.path)
		problems := problem.From(err)
		if problems == nil || problems[0].Field[0] != test.field || !strings.Contains(problems[0].Message, test.message) {
			t.Errorf("%s: %v; want %s: … %s", name, err, test.field, test.message)
		}
	}
}
