package graph_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/graph"
)

// Every object with a global id is an entity, and the text of the subgraph is a schema that
// keeps to itself what only makes sense here.
func TestSubgraph(t *testing.T) {
	schema := graph.Schema()
	entity := map[string]bool{}
	for _, name := range schema.Types["_Entity"].Types {
		entity[name] = true
	}
	for _, def := range schema.PossibleTypes["Node"] {
		if !entity[def.Name] {
			t.Errorf("%s is a Node, but no entity", def.Name)
		}
	}
	const federation = `
		directive @link(url: String!, import: [String!]) repeatable on SCHEMA
		directive @key(fields: String!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE
		directive @shareable on OBJECT | FIELD_DEFINITION
		`
	subgraph, err := gqlparser.LoadSchema(&ast.Source{Input: federation + graph.Subgraph()})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"node", "nodes", "_service", "_entities"} {
		if subgraph.Query.Fields.ForName(name) != nil {
			t.Errorf("the subgraph has the field %s", name)
		}
	}
	if n := len(subgraph.Types["Agent"].Directives.ForNames("key")); n != 2 {
		t.Errorf("an agent has %d keys; want its id and its code", n)
	}
}

// What a gateway asks is answered in its order: null for what is not there, is another
// tenant's or of another type, and a refusal that names the representation without a key.
func TestEntities(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		id := newAgent(t, c, "A1", "", "2026-01-01")
		foreign := newAgent(t, w.As(apptest.Umbra), "U1", "", "2026-01-01")
		const query = `query($r: [_Any!]!) { _entities(representations: $r) { __typename ... on Agent { agentCode } } }`
		one := func(fields ...any) object {
			o := object{}
			for i := 0; i < len(fields); i += 2 {
				o[fields[i].(string)] = fields[i+1]
			}
			return o
		}
		ask := func(all ...any) (any, []apptest.Error) { return c.GraphQL(t, query, object{"r": all}) }
		data, errs := ask(one("__typename", "Agent", "agentCode", "A1"), one("__typename", "Agent", "id", id), one("__typename", "Agent", "id", foreign),
			one("__typename", "Team", "id", id), one("__typename", "Agent", "agentCode", "NONE"), one("__typename", "Agent", "id", base64.RawURLEncoding.EncodeToString([]byte("Agent:99999"))))
		a1 := object{"__typename": "Agent", "agentCode": "A1"}
		equal(t, "entities", data, object{"_entities": list(a1, a1, nil, nil, nil, nil)})
		if errs != nil {
			t.Errorf("errors: %v", errs)
		}
		if _, errs := ask(one("__typename", "Agent", "agentCode", "A1"), one("__typename", "Agent")); len(errs) != 1 || !strings.Contains(errs[0].Message, "agentCode") {
			t.Errorf("without a key: %v", errs)
		}
		if _, errs := ask("A1"); len(errs) != 1 || errs[0].Code() != "BAD_USER_INPUT" {
			t.Errorf("a text: %v", errs)
		}
		if _, errs := w.As(apptest.Acme, "read:users").GraphQL(t, query, object{"r": list(a1)}); len(errs) != 1 || errs[0].Code() != "FORBIDDEN" {
			t.Errorf("without the scope: %v", errs)
		}
	})
}
