package breaking_test

import (
	"slices"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/breaking"
)

const before = `
	type Query { agent(code: String, first: Int! = 10, kind: Kind): Agent, agents: [Agent!]!, found: Found }
	interface Node { id: ID! }
	type Agent implements Node { id: ID!, name: String!, npn: String, tags: [String!] }
	type Team { name: String! }
	union Found = Agent | Team
	enum Kind { ONE TWO }
	input Update { name: String, count: Int! = 1 }
	type Mutation { update(input: Update!): Agent }`

// Each change that breaks somebody is found, with its coordinate; what only adds is not.
func TestChanges(t *testing.T) {
	for name, c := range map[string]struct {
		after string
		want  []breaking.Change
	}{
		"nothing": {before, nil},
		"additions": {`
			type Query { agent(code: String, first: Int! = 20, kind: Kind, more: Boolean): Agent!, agents: [Agent!]!, found: Found, other: Int }
			interface Node { id: ID! }
			type Agent implements Node { id: ID!, name: String!, npn: String!, tags: [String!]!, more: Int }
			type Team { name: String! }
			union Found = Agent | Team
			enum Kind { ONE TWO THREE }
			input Update { name: String, count: Int = 1, other: String, third: Int! = 3 }
			type Mutation { update(input: Update): Agent }`, nil},
		"removals": {`
			type Query { agent(first: Int!, kind: Kind): Agent, found: Found }
			type Agent { id: ID!, name: String, npn: Int, tags: [String] }
			type Team { name: String! }
			union Found = Team
			enum Kind { ONE }
			input Update { name: String!, count: Int!, must: Int! }
			type Mutation { update(input: Update!, must: Int!): Agent }`, []breaking.Change{
			{"Agent", "the type implements Node no more"},
			{"Agent.name", "the field was String! and is String"},
			{"Agent.npn", "the field was String and is Int"},
			{"Agent.tags", "the field was [String!] and is [String]"},
			{"Found", "Agent is no member of the union any more"},
			{"Kind.TWO", "the value is gone"},
			{"Mutation.update", "the new argument must is required"},
			{"Node", "the type is gone"},
			{"Node.id", "the type is gone"},
			{"Query.agent(code:)", "the argument is gone"},
			{"Query.agent(first:)", "the argument has no default any more"},
			{"Query.agents", "the field is gone"},
			{"Update", "the new input field must is required"},
			{"Update.count", "the input field has no default any more"},
			{"Update.name", "the input field was String and is String!"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := breaking.Changes(schema(before), schema(c.after)); !slices.Equal(got, c.want) {
				t.Errorf("got\n%v\nwant\n%v", got, c.want)
			}
		})
	}
}

func schema(text string) *ast.Schema { return gqlparser.MustLoadSchema(&ast.Source{Input: text}) }
