package graph_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// "All other input values must raise a request error" (GraphQL specification, 3.5):
// a variable is taken in the type and the case of the schema, and in no other.
func TestVariablesAreOfTheirTypes(t *testing.T) {
	const (
		text   = `query($v: String!) { agent(agentCode: $v) { id } }`
		texts  = `query($v: [String!]) { agents(filter: {agentCodes: $v}) { totalCount } }`
		whole  = `query($v: Int) { agents(first: $v) { totalCount } }`
		id     = `query($v: ID!) { node(id: $v) { id } }`
		truth  = `query($v: Boolean!) { agents(first: 1) { totalCount @include(if: $v) } }`
		enum   = `query($v: [AgentOrder!]) { agents(first: 1, orderBy: $v) { totalCount } }`
		object = `mutation($v: AgentUpdateInput!) { agentUpdate(input: $v) { applied userErrors { message } } }`
	)
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "A1", "", "2025-01-01")
		for _, test := range []struct {
			query string
			value any
			path  string
			says  string
		}{
			{text, 42, "[variable v]", "must be a String, not an integer"},
			{text, true, "[variable v]", "must be a String, not a Boolean"},
			{text, map[string]any{}, "[variable v]", "must be a String, not an object"},
			{texts, list("A1", 5), "[variable v 1]", "must be a String, not an integer"},
			{texts, 5, "[variable v]", "must be a String, not an integer"},
			{whole, "5", "[variable v]", "must be an Int of at most 32 bits, not a string"},
			{whole, 4.5, "[variable v]", "must be an Int of at most 32 bits, not a number"},
			{whole, 1 << 40, "[variable v]", "must be an Int of at most 32 bits, not an integer"},
			{id, 4.5, "[variable v]", "must be an ID, not a number"},
			{truth, "true", "[variable v]", "must be a Boolean, not a string"},
			{enum, list(map[string]any{"field": "last_name", "direction": "Asc"}), "[variable v 0 direction]", "must be one of ASC, DESC"},
			{enum, list(map[string]any{"field": 7}), "[variable v 0 field]", "must be one of "},
			{object, map[string]any{"agentCode": "A1", "lastName": 5}, "[variable v lastName]", "must be a String, not an integer"},
			{object, map[string]any{"agentCode": "A1", "lastNam": "Y"}, "[variable v lastNam]", "AgentUpdateInput has no field lastNam"},
			{object, "x", "[variable v]", "must be an object of the type AgentUpdateInput, not a string"},
		} {
			data, errs := c.GraphQL(t, test.query, map[string]any{"v": test.value})
			found := false
			for _, err := range errs {
				found = found || fmt.Sprint(err.Path) == test.path && strings.Contains(err.Message, test.says)
				equal(t, "code", err.Code(), "BAD_USER_INPUT")
			}
			if !found || data != nil {
				t.Errorf("%s with %v: %v, %v; want %s %s", test.query, test.value, data, errs, test.path, test.says)
			}
		}
		for query, value := range map[string]any{text: "A1", texts: "A1", whole: 5, id: 4, truth: false, enum: map[string]any{"field": "LAST_NAME", "direction": "ASC"}} {
			if _, errs := c.GraphQL(t, query, map[string]any{"v": value}); len(errs) > 0 {
				t.Errorf("%s with %v: %v", query, value, errs)
			}
		}
	})
}

// "If the value passed as an input to a list type is not a list ..., the result of input
// coercion is a list of size one" (GraphQL specification, 3.11), wherever the list is.
func TestOneValueIsAListOfOne(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		newAgent(t, c, "A1", "", "2025-01-01")
		const agents = `query($f: AgentFilter) { agents(filter: $f) { totalCount } }`
		for _, filter := range []object{{"agentCodes": "A1"}, {"payStatus": "Active"}, {"agentCodes": "A1", "payStatus": list("Active")}} {
			equal(t, fmt.Sprint(filter), apptest.At(c.Query(t, agents, object{"f": filter}), "agents.totalCount"), number("1"))
		}
		const certifications = `query($f: CertificationFilter) { certifications(filter: $f) { totalCount } }`
		c.Query(t, certifications, object{"f": object{"status": "ACTIVE"}}) // of an enum
		const move = `mutation($i: ReorgApplyInput!) { reorgApply(input: $i, dryRun: true) { userErrors { code } moves { agent { agentCode } } } }`
		moves := object{"effectiveFrom": "2026-07-01", "initiator": "hr", "moves": object{"agentCode": "A1", "newLevel": 20}}
		c.Query(t, move, object{"i": moves}) // of an object
		for value, says := range map[any]string{5: "must be a String, not an integer", true: "must be a String, not a Boolean"} {
			_, errs := c.GraphQL(t, agents, object{"f": object{"agentCodes": value}})
			if len(errs) != 1 || !strings.Contains(errs[0].Message, says) || fmt.Sprint(errs[0].Path) != "[variable f agentCodes]" {
				t.Errorf("%v: %+v", value, errs)
			}
		}
	})
}

// A decimal number is a text: as a number, digits would be lost before they are read.
func TestDecimalsAreTexts(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	c := w.As(apptest.Acme, bearer.TenantScopes()...)
	const mutation = `mutation%s { productionRecordUpsert(input: {agentCode: "A1", providerCompany: "X", policyNumber: "1", annualPremium: %s, initiator: "x"}) { applied } }`
	for query, value := range map[string]any{fmt.Sprintf(mutation, "($v: Decimal!)", "$v"): number("49.90"), fmt.Sprintf(mutation, "", "49.90"): nil} {
		data, errs := c.GraphQL(t, query, map[string]any{"v": value})
		if data != nil || len(errs) != 1 || errs[0].Code() != "BAD_USER_INPUT" || !strings.Contains(errs[0].Message, `must be a decimal number in quotes, such as "49.90"`) {
			t.Errorf("%s: %v %+v", query, data, errs)
		}
	}
}

// A text with half of a surrogate pair is refused at both doors: a decoder would store
// U+FFFD in its place without a word.
func TestHalfPairsAreRefused(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "A1", "", "2025-01-01")
		for name, r := range map[string]struct{ method, path, body string }{
			"variable": {http.MethodPost, apptest.GraphQLPath, `{"query":"mutation($n: String) { agentUpdate(input: {agentCode: \"A1\", lastName: $n, initiator: \"x\"}) { applied } }","variables":{"n":"A\ud800"}}`},
			"literal":  {http.MethodPost, apptest.GraphQLPath, `{"query":"mutation { agentUpdate(input: {agentCode: \"A1\", lastName: \"A\\ud800\", initiator: \"x\"}) { applied } }"}`},
			"REST":     {http.MethodPatch, "/agency-management/acme/agents/A1", `{"lastName":"A\udc00","initiator":"x"}`},
		} {
			if answer := c.Send(t, r.method, r.path, nil, []byte(r.body)); answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "surrogate") {
				t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
			}
		}
		equal(t, "last name", apptest.At(c.Query(t, `{ agent(agentCode: "A1") { lastName } }`, nil), "agent.lastName"), "Test")
	})
}

// Text that only looks blank is blank, and an identifier is the same in digits of any
// width.
func TestLookalikes(t *testing.T) {
	const registration = `mutation($input: AgentRegisterInput!) { agentRegister(input: $input) { applied userErrors { code field } agent { firstName } } }`
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		input := func(code, first, identifier string) map[string]any {
			return map[string]any{"input": map[string]any{"agentCode": code, "firstName": first, "lastName": "Test", "governmentIdentifier": identifier, "status": "Active",
				"startDate": "2025-01-01T12:00:00Z", "initiator": "test", "teams": list(map[string]any{"membership": map[string]any{"level": 10}})}}
		}
		refused := c.Query(t, registration, input("B1", "\u200b \ufeff", "１２"))
		equal(t, "refused", fmt.Sprint(apptest.At(refused, "agentRegister.userErrors")),
			"[map[code:REQUIRED field:[input firstName]] map[code:INVALID_FORMAT field:[input governmentIdentifier]]]")
		taken := c.Query(t, registration, input("B1", "\u200bAna ", "１２３-４５-６７８９"))
		equal(t, "first name", apptest.At(taken, "agentRegister.agent.firstName"), "Ana")
		found := c.Query(t, `query($id: String) { agents(filter: {governmentIdentifier: $id}) { nodes { agentCode } } }`, map[string]any{"id": "123456789"})
		equal(t, "found", apptest.At(found, "agents.nodes.0.agentCode"), "B1")
	})
}
