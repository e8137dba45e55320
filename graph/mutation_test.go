package graph_test

import (
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
)

// What a mutation refuses is in userErrors, with the path into its arguments;
// the payload is otherwise empty and no error is at the top.
func TestUserErrorsNameTheArgument(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "TOP", "", "2025-01-01")
		newAgent(t, c, "A1", "TOP", "2025-01-01")
		for _, test := range []struct {
			name, mutation string
			code, category string
			field          any
		}{
			{"one field", `agentRegister(input: {firstName: "A", lastName: "B", status: "Angry", teams: [{membership: {}}], initiator: "x"})`,
				"UNKNOWN_STATUS", "VALIDATION", list("input", "status")},
			{"an element of a list", `agentRegister(input: {firstName: "A", lastName: "B", status: "Active", teams: [{membership: {level: 11}}], initiator: "x"})`,
				"UNKNOWN_LEVEL", "VALIDATION", list("input", "teams", "0", "membership", "level")},
			{"a part of an element", `agentTagsUpdate(input: {agentCode: "A1", tags: [{operation: ASSIGN, tag: "Elder"}], initiator: "x"})`,
				"UNKNOWN_TAG", "VALIDATION", list("input", "tags", "0", "tag")},
			{"a name that nothing may have", `tagCreate(input: {name: "Assigned", initiator: "x"})`, "RESERVED_NAME", "VALIDATION", list("input", "name")},
			{"whose it is to be", `aliasCreate(input: {agentCode: "NOBODY", identifier: "1", initiator: "x"})`, "UNKNOWN_AGENT", "NOT_FOUND", nil},
			{"an object", `agentRegister(input: {firstName: "A", lastName: "B", status: "Active", teams: [{membership: {}}], cellPhone: {phoneNumber: " "}, initiator: "x"})`,
				"REQUIRED", "VALIDATION", list("input", "cellPhone", "phoneNumber")},
			{"a conflict", `agentRegister(input: {agentCode: "TOP", firstName: "A", lastName: "B", status: "Active", teams: [{membership: {}}], initiator: "x"})`,
				"AGENT_CODE_IN_USE", "CONFLICT", list("input", "agentCode")},
			{"null", `agentUpdate(input: {agentCode: "A1", firstName: null, initiator: "x"})`, "NULL_NOT_ALLOWED", "VALIDATION", list("input", "firstName")},
			{"what the request is about", `agentUpdate(input: {agentCode: "NOBODY", initiator: "x"})`, "UNKNOWN_AGENT", "NOT_FOUND", nil},
			{"a part of the input", `agentMembershipUpdate(input: {agentCode: "TOP", membership: {directUpline: "A1"}, initiator: "x"})`,
				"CIRCULAR_HIERARCHY", "VALIDATION", list("input", "membership", "directUpline")},
			{"the upline", `uplinePeriodApply(input: {agentCode: "A1", uplineAgentCode: "NOBODY", effectiveFrom: "2026-01-01", initiator: "x"})`,
				"UNKNOWN_UPLINE", "VALIDATION", list("input", "uplineAgentCode")},
			{"whose", `levelPeriodApply(input: {agentCode: "NOBODY", level: 10, effectiveFrom: "2026-01-01", initiator: "x"})`,
				"UNKNOWN_AGENT", "NOT_FOUND", list("input", "agentCode")},
			{"the last day", `payStatusPeriodApply(input: {agentCode: "A1", status: "Active", effectiveFrom: "2026-01-02", effectiveThrough: "2026-01-01", initiator: "x"})`,
				"PERIOD_ENDS_BEFORE_START", "VALIDATION", list("input", "effectiveThrough")},
			{"a state that prevents it", `agentDelete(input: {agentCode: "TOP", initiator: "x"})`, "AGENT_HAS_DOWNLINE", "CONFLICT", nil},
			{"the team", `uplinePeriodApply(input: {team: "west", agentCode: "A1", effectiveFrom: "2026-01-01", initiator: "x"})`,
				"UNKNOWN_TEAM", "NOT_FOUND", list("input", "team")},
		} {
			data := c.Query(t, `mutation { result: `+test.mutation+` { applied userErrors { code category message field } } }`, nil)
			equal(t, test.name+": applied", apptest.At(data, "result.applied"), false)
			equal(t, test.name+": code", apptest.At(data, "result.userErrors.0.code"), test.code)
			equal(t, test.name+": category", apptest.At(data, "result.userErrors.0.category"), test.category)
			equal(t, test.name+": field", apptest.At(data, "result.userErrors.0.field"), test.field)
		}
		data := c.Query(t, `mutation { agentUpdate(input: {agentCode: "A1", firstName: null, email: "x", initiator: " "}) { agent { id } userErrors { code field } } }`, nil)
		equal(t, "all are named", apptest.Each(data, "agentUpdate.userErrors", "code"), list("REQUIRED", "NULL_NOT_ALLOWED", "INVALID_FORMAT"))
		equal(t, "no agent", apptest.At(data, "agentUpdate.agent"), nil)
	})
}

// A deletion names the token's subject when it names nobody.
func TestInitiatorOfADeletion(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		id := newAgent(t, c, "A1", "", "2025-01-01")
		data := c.Query(t, `mutation { agentDelete(input: {agentCode: "A1"}) { applied deletedId userErrors { code } } }`, nil)
		equal(t, "deleted", apptest.At(data, "agentDelete"), object{"applied": true, "deletedId": id, "userErrors": []any{}})
	})
}

// The fields of one mutation run one after the other.
func TestMutationsRunInOrder(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		data := c.Query(t, `mutation {
			one: agentRegister(input: {agentCode: "A1", firstName: "A", lastName: "B", status: "Active", teams: [{membership: {}}], initiator: "x"}) { applied }
			two: agentRegister(input: {agentCode: "A2", firstName: "A", lastName: "B", status: "Active", teams: [{membership: {directUpline: "A1"}}], initiator: "x"}) { applied agent { upline { agentCode } } }
			three: agentMembershipUpdate(input: {agentCode: "A2", membership: {directUpline: null}, initiator: "x"}) { applied agent { upline { agentCode } membership { directUpline { agentCode } } } } }`, nil)
		equal(t, "two", apptest.At(data, "two.agent.upline.agentCode"), "A1")
		equal(t, "three", apptest.At(data, "three"), object{"applied": true, "agent": object{"upline": nil, "membership": object{"directUpline": nil}}})
	})
}

// "dryRun stops after planning": a preview is what the write then answers, for
// any periods, and writes nothing.
func TestPreviewIsWhatTheWriteDoes(t *testing.T) {
	kinds := []struct {
		mutation string
		input    func(t *rapid.T) object
	}{
		{applyUpline, func(t *rapid.T) object {
			return object{"agentCode": "A1", "uplineAgentCode": rapid.SampledFrom(list("U1", "U2", "LOW", "A1", "NOBODY", nil)).Draw(t, "upline")}
		}},
		{applyLevel, func(t *rapid.T) object {
			return object{"agentCode": "A1", "level": rapid.SampledFrom([]int{10, 20, 30, 11}).Draw(t, "level")}
		}},
		{applyStatus, func(t *rapid.T) object {
			return object{"agentCode": "A1", "status": rapid.SampledFrom([]string{"Active", "Suspended", "Pending", "Angry"}).Draw(t, "status")}
		}},
		{upsert, func(t *rapid.T) object {
			return object{"agentCode": "A1", "type": "AML", "identifier": rapid.SampledFrom(list(nil, "X")).Draw(t, "identifier"), "isResidentCertification": true,
				"isVerified": rapid.Bool().Draw(t, "isVerified"), "status": rapid.SampledFrom([]string{"ACTIVE", "EXPIRED", "HELD"}).Draw(t, "status")}
		}},
	}
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "U1", "", "2025-01-01")
		newAgent(t, c, "U2", "", "2025-01-01")
		newAgent(t, c, "A1", "U1", "2025-01-01")
		newAgent(t, c, "LOW", "A1", "2025-01-01")
		const read = `{ agent(agentCode: "A1") { lastModified payStatusPeriods { nodes { id } } uplinePeriods { nodes { id } } levelPeriods { nodes { id } }
			certifications { nodes { id lastModified periods { nodes { id } } } } } hierarchyBuild { version queuedAt } }`
		rapid.Check(t, func(t *rapid.T) {
			w.Clock.Move(time.Second)
			kind := rapid.SampledFrom(kinds).Draw(t, "kind")
			input := kind.input(t)
			from := date.Of(2026, time.June, 15).AddDays(rapid.IntRange(-30, 30).Draw(t, "from"))
			maps.Copy(input, object{"effectiveFrom": from.String(), "initiator": "x"})
			if rapid.Bool().Draw(t, "ends") {
				input["effectiveThrough"] = from.AddDays(rapid.IntRange(-1, 20).Draw(t, "length")).String()
			}
			before := c.Query(t, read, nil)
			preview := apptest.At(c.Query(t, kind.mutation, object{"input": input, "dryRun": true}), "result")
			if after := c.Query(t, read, nil); !same(before, after) {
				t.Fatalf("the dry run wrote: %v, before it %v", after, before)
			}
			written := apptest.At(c.Query(t, kind.mutation, object{"input": input}), "result")
			for _, part := range []string{"changes", "userErrors"} {
				if !same(apptest.At(preview, part), apptest.At(written, part)) {
					t.Fatalf("%s: previewed %v, written %v", part, apptest.At(preview, part), apptest.At(written, part))
				}
			}
			if apptest.At(preview, "applied") != false {
				t.Fatalf("a dry run was applied")
			}
			if changed := !same(before, c.Query(t, read, nil)); changed != apptest.At(written, "applied") {
				t.Fatalf("applied is %v, and something changed: %v", apptest.At(written, "applied"), changed)
			}
		})
	})
}
