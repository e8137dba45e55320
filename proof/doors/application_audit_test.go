package doors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// Changes of applications leave one audit entry each, of sensitive values with a
// fingerprint, and one event, which names fields and holds none of their values.
// What is refused, or changes nothing, leaves neither.
func TestApplicationChangesAreAudited(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, allScopes...)
		body := object{"recruiterAgentCode": "A1", "firstName": "Rosa", "lastName": "Ibarra", "emailAddress": "rosa@example.com",
			"governmentIdentifier": "900-44-1234", "w9": object{"ssn": "900-44-1234", "taxpayerName": "Rosa"}}
		id := apptest.CreateApplication(t, c, body)
		path := "/agent-onboarding/{tenant}/applications/" + id
		put := func(want int) {
			t.Helper()
			if status, _, answer := sendTo(t, c, http.MethodPut, path, body); status != want {
				t.Fatalf("PUT: %d %s", status, answer)
			}
		}
		put(200) // changes nothing
		body["firstName"] = ""
		put(400)
		body["firstName"], body["w9"], body["suffix"] = "Rosa", nil, "Jr."
		put(200)
		if status, _, answer := sendTo(t, c, http.MethodPost, "/agent-onboarding/{tenant}/applications", body); status != 409 {
			t.Fatalf("a duplicate: %d %s", status, answer)
		}
		data := c.Query(t, `{ auditLog(filter: {entityType: "Application", kind: WRITE}) { nodes { operation initiator entityKeys changes { field fingerprint } } }
			viewer { subject } }`, nil)
		var got []string
		for _, node := range apptest.At(data, "auditLog.nodes").([]any) {
			if apptest.At(node, "entityKeys.0") != id || apptest.At(node, "initiator") != apptest.At(data, "viewer.subject") {
				t.Errorf("the entry is %v", node)
			}
			var fields []string
			for _, change := range apptest.At(node, "changes").([]any) {
				field := apptest.At(change, "field").(string)
				if apptest.At(change, "fingerprint") != nil {
					field += "#"
				}
				fields = append(fields, field)
			}
			got = append(got, fmt.Sprint(apptest.At(node, "operation"), fields))
		}
		want := "[applicationReplace[suffix w9 w9.ssn] applicationCreate[recruiterAgentCode firstName lastName emailAddress w9 governmentIdentifier# w9.ssn#]]"
		if fmt.Sprint(got) != want {
			t.Errorf("entries %v; want %s", got, want)
		}

		feed := apptest.At(c.Query(t, `{ events(types: ["Platform.AgentOnboarding.Events.*"]) { nodes { type body } } }`, nil), "events.nodes").([]any)
		var told []string
		for _, node := range feed {
			encoded, err := json.Marshal(apptest.At(node, "body.data"))
			if err != nil {
				t.Fatal(err)
			}
			told = append(told, strings.ReplaceAll(string(encoded), id, "ID"))
		}
		wantTold := `[{"agentCode":null,"applicationId":"ID","changedFields":["emailAddress","firstName","governmentIdentifier","lastName","recruiterAgentCode","w9"],"operation":"applicationCreate","status":"Active"}` +
			` {"agentCode":null,"applicationId":"ID","changedFields":["suffix","w9"],"operation":"applicationReplace","status":"Active"}]`
		if fmt.Sprint(told) != wantTold {
			t.Errorf("events %v; want %s", told, wantTold)
		}
	})
}
