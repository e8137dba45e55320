package doors_test

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/uplinehq/upline/app/apptest"
)

const assistantWrites = "mcp:write"

// An assistant changes something only with a scope for that, and with the scope of the
// operation; what it changed, the audit trail says it was. A key makes a change once, a
// version only on what was read.
func TestAssistantWrites(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		trail := newTrail(t, w, "REST")
		apptest.Register(t, trail.Caller, "A1", nil)
		a := newAssistant(t, w, "read:agents", "write:agents", assistantWrites)
		update := object{"agentCode": "A1", "body": object{"commonName": "Annie", "initiator": "the assistant"}}

		tries, onlyReads := newAssistant(t, w, "read:agents", "write:agents"), newAssistant(t, w, "read:agents", assistantWrites)
		before := tables(t, w)
		tries.refused(t, "agentUpdate", update, "code", "FORBIDDEN", assistantWrites)
		onlyReads.refused(t, "agentUpdate", update, "code", "FORBIDDEN", "write:agents")
		a.refused(t, "agentDelete", object{"agentCode": "A1"}, "code", "FORBIDDEN", "delete:agents")
		a.refused(t, "agentUpdate", object{"agentCode": "A1", "body": update["body"], "dryRun": true}, "errors.0.field", "dryRun", "this changes something")
		a.refused(t, "agentUpdate", object{"agentCode": "A1", "body": update["body"], "idempotencyKey": "k"}, "errors.0.field", "idempotencyKey", "repeated")
		a.refused(t, "agentUpdate", object{"agentCode": "A1", "body": update["body"], "ifMatch": "x"}, "errors.0.field", "ifMatch", "entity tags")
		a.refused(t, "tagCreate", object{"body": object{"name": "x", "initiator": "hr"}, "idempotencyKey": "a b"}, "errors.0.field", "idempotencyKey", "visible ASCII")
		a.refused(t, "agentUpdate", object{"agentCode": "A1", "body": update["body"], "colour": "x"}, "errors.0.field", "colour", "is no argument of this tool")
		a.refused(t, "agentUpdate", object{"agentCode": "A2", "body": update["body"]}, "code", "UNKNOWN_AGENT", "")
		if !reflect.DeepEqual(before, tables(t, w)) {
			t.Error("a refused change changed something")
		}

		read, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: "agent", Arguments: object{"agentCode": "A1"}})
		if err != nil || len(read.Content) != 2 {
			t.Fatalf("an agent without its version: %v %v", read, err)
		}
		update["ifMatch"] = strings.TrimPrefix(read.Content[1].(*sdk.TextContent).Text, "ETag: ")
		if got := apptest.At(a.must(t, "agentUpdate", update), "commonName"); got != "Annie" {
			t.Errorf("after the change the agent is called %v", got)
		}
		w.Clock.Move(time.Second)
		update["body"] = object{"commonName": "Nan", "initiator": "the assistant"}
		a.refused(t, "agentUpdate", update, "code", "PRECONDITION_FAILED", "")

		entry := trail.entries(t, "WRITE")[0]
		if apptest.At(entry, "surface") != "MCP" || apptest.At(entry, "operation") != "agentUpdate" || apptest.At(entry, "initiator") != "the assistant" ||
			apptest.At(entry, "entityKeys.0") != "A1" || apptest.At(entry, "changes.0.field") != "commonName" {
			t.Errorf("the entry of the change is %v", entry)
		}
		if _, _, answer := a.REST(t, http.MethodPatch, "/agents/A1", object{"commonName": "Ann", "initiator": "hr"}); apptest.At(trail.entries(t, "WRITE")[0], "surface") != "REST" {
			t.Errorf("a change by the other door: %s", answer)
		}
	})
}

// A key makes a change once: of the same path and body only, not of another path.
func TestAssistantRepeats(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		trail := newTrail(t, w, "REST")
		apptest.Register(t, trail.Caller, "A1", nil)
		apptest.Register(t, trail.Caller, "A2", nil)
		a := newAssistant(t, w, "read:agents", "write:agents", assistantWrites)
		alias := object{"agentCode": "A1", "body": object{"identifier": "7", "initiator": "x"}, "idempotencyKey": "once"}
		first := a.must(t, "aliasCreate", alias)
		count := len(trail.entries(t, "WRITE"))
		same(t, "the same again", a.must(t, "aliasCreate", alias), first)
		alias["agentCode"] = "A2"
		a.refused(t, "aliasCreate", alias, "code", "IDEMPOTENCY_KEY_REUSED", "")
		if n := len(trail.entries(t, "WRITE")); n != count {
			t.Errorf("%d changes were made", n-count)
		}
	})
}

// Which changes are tools, and what the tools say of themselves: sensitive values are not
// among their arguments, nor taken, nor shown.
func TestAssistantsTools(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newAssistant(t, w, allScopes...)
		tools := a.tools(t)
		for name, want := range map[string]struct{ adds, repeatable bool }{
			"agentRegister": {true, false}, "agentUpdate": {false, true}, "agentDelete": {false, true}, "uplinePeriodApply": {false, true}, "tagCreate": {true, false},
		} {
			tool := tools[name]
			if tool == nil {
				t.Errorf("%s is missing", name)
				continue
			}
			if h := tool.Annotations; h.ReadOnlyHint || *h.DestructiveHint == want.adds || h.IdempotentHint != want.repeatable || *h.OpenWorldHint {
				t.Errorf("%s says %+v", name, h)
			}
			properties := tool.InputSchema.(object)["properties"].(object)
			if (properties["idempotencyKey"] != nil) != strings.HasSuffix(name, "Create") && !slices.Contains([]string{"agentRegister", "uplinePeriodApply"}, name) || properties["dryRun"] != nil {
				t.Errorf("%s takes %v", name, properties)
			}
		}
		writing := 0
		for _, tool := range tools {
			if !tool.Annotations.ReadOnlyHint {
				writing++
			}
		}
		if writing != 32 { // a new path that writes: count it here when it is for assistants, or say in withheld why it is not
			t.Errorf("%d tools write", writing)
		}
		for _, name := range []string{"userCreate", "userUpdate", "webhookSubscriptionCreate", "webhookSubscriptionUpdate", "webhookSubscriptionDelete",
			"reportRecipeCreate", "reportRecipeReplace", "reportRecipeDelete", "applicationReplace", "w9PeriodApply", "previewW9PeriodApply"} {
			if tools[name] != nil {
				t.Errorf("%s is a tool", name)
			}
		}
		registration := encoded(t, tools["agentRegister"].InputSchema)
		payee := encoded(t, tools["agentPayeeUpdate"].InputSchema)
		for _, sensitive := range []string{"governmentIdentifier", "w9", "directDeposit", "accountNumber", "taxpayerIdentifier", "signature"} {
			if strings.Contains(registration, `"`+sensitive+`"`) || strings.Contains(payee, `"`+sensitive+`"`) {
				t.Errorf("agentRegister or agentPayeeUpdate takes %s", sensitive)
			}
		}
		body := object{"agentCode": "S1", "firstName": "Ann", "lastName": "Lee", "status": "Active", "teams": object{"default": object{"level": 10}}, "initiator": "hr"}
		for field, value := range map[string]any{"governmentIdentifier": "523-45-6781", "w9": object{"name": "Ann", "taxpayerIdentifier": "98-7654321"},
			"directDeposit": object{"country": "US", "accountHolderName": "Ann", "accountType": "Checking", "routingNumber": "021000021", "accountNumber": "771239941"}} {
			with := object{field: value}
			for name, value := range body {
				with[name] = value
			}
			answer, refused := a.call(t, "agentRegister", object{"body": with})
			if !refused || !strings.Contains(answer, "it is sensitive") || !strings.Contains(answer, field) {
				t.Errorf("%s is taken: %s", field, answer)
			}
		}
		registerWithSecrets(t, a.Caller)
		keepsSecrets(t, w, a)
		answer, refused := a.call(t, "agentUpdate", object{"agentCode": "R1", "body": object{"commonName": "Annie", "initiator": "hr"}})
		if refused {
			t.Fatal(answer)
		}
		masked(t, "agentUpdate", answer)
	})
}

// keepsSecrets checks that an assistant clears no sensitive value of R1: not by null, not
// by giving an object without it, not by ending a W9 nor by applying another one.
func keepsSecrets(t *testing.T, w *apptest.World, a assistant) {
	t.Helper()
	before := tables(t, w)
	for _, name := range []string{"agentPayeeUpdate", "previewAgentPayeeUpdate"} {
		for field, values := range map[string][]any{
			"w9":            {nil, object{"exemptPayee": "5", "name": "Bob"}, object{}},
			"directDeposit": {nil, object{"country": "US", "accountHolderName": "Bob", "accountType": "Checking"}},
		} {
			for _, value := range values {
				a.refused(t, name, object{"agentCode": "R1", "body": object{field: value, "initiator": "hr"}}, "errors.0.field", field, "it is sensitive")
			}
		}
	}
	a.refused(t, "agentUpdate", object{"agentCode": "R1", "body": object{"governmentIdentifier": nil, "initiator": "hr"}}, "errors.0.field", "governmentIdentifier", "it is sensitive")
	w9 := object{"agentCode": "R1", "w9": object{"name": "Bob", "taxClassification": "Individual"}, "effectiveFrom": "2020-01-01", "initiator": "hr"}
	for _, name := range []string{"w9PeriodApply", "previewW9PeriodApply"} {
		if answer, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: object{"body": w9}}); err == nil && !answer.IsError {
			t.Errorf("%s is carried out: %v", name, answer.Content)
		}
	}
	if !reflect.DeepEqual(before, tables(t, w)) {
		t.Error("a refused change changed something")
	}
}
