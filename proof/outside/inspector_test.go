package outside_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/app/clientstest"
	"github.com/uplinehq/upline/graph/breaking"
)

const schemaBefore = `
type Query { agent(code: String, first: Int! = 10, kind: Kind = ONE): Agent  agents: [Agent!]!  found: Found }
interface Node { id: ID! }
interface Named { name: String }
type Agent implements Node & Named { id: ID!  name: String!  npn: String  tags: [String!]  old: Int @deprecated(reason: "npn") }
type Team { name: String! }
union Found = Agent | Team
enum Kind { ONE TWO }
scalar Date
input Update { name: String  count: Int! = 1  on: Date }
input Unused { a: Int }
type Mutation { update(input: Update!): Agent }
type Subscription { changed: Agent }
`

// schemaChanges change schemaBefore. Where upline schema check and GraphQL Inspector judge
// differently, why says why.
var schemaChanges = []struct{ name, before, after, why string }{
	{"nothing", "", "", ""},
	{"a field is removed", "  npn: String  tags", "  tags", ""},
	{"a deprecated field is removed", `  old: Int @deprecated(reason: "npn")`, "", ""},
	{"a field is added", "npn: String", "npn: String  more: Int", ""},
	{"a field may be null", "name: String!  npn", "name: String  npn", ""},
	{"a field is never null", "npn: String", "npn: String!", ""},
	{"a field has another type", "npn: String", "npn: Int", ""},
	{"a field becomes a list", "npn: String", "npn: [String]", ""},
	{"values of a list may be null", "tags: [String!]", "tags: [String]", ""},
	{"a list is never null", "tags: [String!]", "tags: [String!]!", ""},
	{"an argument is removed", "code: String, ", "", ""},
	{"an argument is added", "code: String,", "code: String, more: Int,", ""},
	{"a required argument is added", "code: String,", "code: String, more: Int!,", ""},
	{"a required argument with a default is added", "code: String,", "code: String, more: Int! = 1,", ""},
	{"an argument becomes required", "code: String,", "code: String!,", ""},
	{"an argument need not be given", "first: Int! = 10", "first: Int = 10", ""},
	{"an argument has another type", "code: String,", "code: Int,", ""},
	{"an argument has another default", "= 10", "= 20", ""},
	{"an argument has no default", "first: Int! = 10", "first: Int!", "whoever leaves it out is refused; the inspector calls it dangerous only"},
	{"an optional argument has no default", "kind: Kind = ONE", "kind: Kind", ""},
	{"a type is removed", "type Subscription { changed: Agent }", "", ""},
	{"an unused input is removed", "input Unused { a: Int }", "", ""},
	{"a type becomes another kind", "scalar Date", "enum Date { DAY }", ""},
	{"an interface is dropped", "implements Node & Named", "implements Node", ""},
	{"an interface is added", "type Team {", "type Team implements Named {", ""},
	{"a member leaves a union", "Agent | Team", "Agent", ""},
	{"a member joins a union", "Found = Agent | Team", "Found = Agent | Team | Other\ntype Other { a: Int }", ""},
	{"a value of an enumeration is removed", "{ ONE TWO }", "{ ONE }", ""},
	{"a value of an enumeration is added", "{ ONE TWO }", "{ ONE TWO THREE }", ""},
	{"an input field is removed", "  on: Date", "", ""},
	{"an input field is added", "on: Date", "on: Date  more: Int", ""},
	{"a required input field is added", "on: Date", "on: Date  more: Int!", ""},
	{"an input field becomes required", "name: String  count", "name: String!  count", ""},
	{"an input field need not be given", "count: Int! = 1", "count: Int = 1", ""},
	{"an input field has no default", "count: Int! = 1", "count: Int!", "whoever leaves it out is refused; the inspector calls it dangerous only"},
	{"an input field has another type", "on: Date", "on: String", ""},
	{"a field is deprecated", "npn: String", `npn: String @deprecated(reason: "x")`, ""},
	{"a mutation is removed", "type Mutation { update(input: Update!): Agent }", "type Mutation { other: Int }", ""},
}

// upline schema check and GraphQL Inspector call the same changes breaking, but those with a
// reason.
func TestInspectorAgrees(t *testing.T) {
	node := clientstest.Node(t, "", "@graphql-inspector/core")
	type change struct {
		Name   string `json:"name"`
		Before string `json:"before"`
		After  string `json:"after"`
	}
	var all []change
	for _, c := range schemaChanges {
		after := strings.Replace(schemaBefore, c.before, c.after, 1)
		if c.before != "" && after == schemaBefore {
			t.Fatalf("%s changes nothing", c.name)
		}
		all = append(all, change{c.name, schemaBefore, after})
	}
	text, err := json.Marshal(all)
	file := filepath.Join(t.TempDir(), "changes.json")
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var told []struct {
		Name   string
		Breaks []string
	}
	if err := json.Unmarshal(clientstest.Run(t, "", nil, node, "inspector.mjs", file), &told); err != nil || len(told) != len(all) {
		t.Fatal(told, err)
	}
	broken := 0
	for i, c := range schemaChanges {
		schema := func(text string) *ast.Schema {
			of, err := gqlparser.LoadSchema(&ast.Source{Input: text})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			return of
		}
		var ours []string
		for _, b := range breaking.Changes(schema(all[i].Before), schema(all[i].After)) {
			ours = append(ours, b.Coordinate)
		}
		if len(ours) > 0 {
			broken++
		}
		if same := (len(ours) > 0) == (len(told[i].Breaks) > 0); same != (c.why == "") {
			t.Errorf("%s: upline says %q, the inspector %q; %s", c.name, slices.Compact(ours), told[i].Breaks, c.why)
		}
	}
	if broken < 15 {
		t.Errorf("only %d changes break something", broken)
	}
}
