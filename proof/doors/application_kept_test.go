package doors_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// An application, with the contract that was signed in it, outlives the agent that it
// became: the link is cut, with an audit entry and an event of its own.
func TestApplicationOutlivesItsAgent(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, allScopes...)
		apptest.Register(t, c, "UP1", nil)
		c.Query(t, `mutation { appConfigurationUpdate(input: {collectTaxId: false, collectBirthDate: false, collectMaritalInfo: false, collectHomeAddress: false,
			collectCorrespondenceAddress: false, collectPrimaryPhone: false, collectCellPhone: false, collectLicenseInfo: false, collectEmploymentInfo: false,
			collectTaxInfo: false, collectContract: false, collectPersonalHistory: false, requiresPayment: false}) { applied } }`, nil)
		version := apptest.At(c.Query(t, `{ contract { versionId } }`, nil), "contract.versionId")
		id := apptest.CreateApplication(t, c, object{"recruiterAgentCode": "UP1", "firstName": "Rosa", "lastName": "Ibarra", "emailAddress": "rosa@example.com",
			"contract": object{"versionId": version, "agreementDate": "2026-06-01", "signature": "Rosa Ibarra"}})
		done := c.Query(t, `mutation($id: ID!) { applicationSubmit(input: {id: $id}) { applied userErrors { message field } }
			applicationProcess(input: {id: $id, agentCode: "NEW1", payStatus: "Active", initiator: "hr"}) { applied agent { agentCode } userErrors { message field } } }`, object{"id": id})
		if apptest.At(done, "applicationProcess.agent.agentCode") != "NEW1" {
			t.Fatalf("processed: %v", done)
		}
		// Half of a write is not taken back by who may read only half of it.
		const undo = `mutation($n: Long!) { changeUndo(input: {sequence: $n, initiator: "hr"}, dryRun: true) { userErrors { code message } } }`
		made := apptest.At(c.Query(t, `{ changes(first: 1, filter: {entityType: "Agent", entityKey: "NEW1"}) { nodes { sequence operation } } }`, nil), "changes.nodes.0")
		if apptest.At(made, "operation") != "applicationProcess" {
			t.Fatalf("the agent was made by %v", made)
		}
		reader := w.As(apptest.Acme, slices.DeleteFunc(slices.Clone(allScopes), func(scope string) bool { return scope == "agent-onboarding:applications:read" })...)
		for who, says := range map[*apptest.Caller]string{c: "Application " + id, reader: "changed something of type Application as well, which the caller may not read about"} {
			refused := apptest.At(who.Query(t, undo, object{"n": apptest.At(made, "sequence")}), "changeUndo.userErrors")
			if !strings.Contains(fmt.Sprint(refused), "NOT_APPLICABLE") || !strings.Contains(fmt.Sprint(refused), says) {
				t.Errorf("%v, want %q", refused, says)
			}
		}
		w.Clock.Move(1)
		if status, _, answer := c.REST(t, http.MethodDelete, "/agents/NEW1?initiator=hr", nil); status != http.StatusNoContent {
			t.Fatalf("%d %s", status, answer)
		}
		const read = `query($id: ID!) { application(id: $id) { status agentCode agent { agentCode } lastModified lastModifiedBy contract { signature(reveal: true) } statusHistory { toStatus } }
			applications(filter: {status: [PROCESSED]}) { nodes { applicationId agentCode } }
			auditLog(filter: {entityType: "Application", kind: WRITE}) { nodes { operation initiator entityKeys changes { field } } }
			events(types: ["Platform.AgentOnboarding.Events.ApplicationUpdated"]) { nodes { body } } }`
		data := c.Query(t, read, object{"id": id})
		if got := fmt.Sprint(apptest.At(data, "application.status"), apptest.At(data, "application.agentCode"), apptest.At(data, "application.agent"), apptest.At(data, "application.contract.signature"),
			apptest.At(data, "application.lastModifiedBy"), len(apptest.At(data, "application.statusHistory").([]any))); got != "PROCESSED<nil> <nil>Rosa Ibarrahr3" {
			t.Errorf("the application is %s", got)
		}
		if apptest.At(data, "applications.nodes.0.applicationId") != id {
			t.Errorf("the list is %v", apptest.At(data, "applications"))
		}
		entry := apptest.At(data, "auditLog.nodes.0")
		if got := fmt.Sprint(apptest.At(entry, "operation"), apptest.At(entry, "initiator"), apptest.At(entry, "entityKeys"), apptest.At(entry, "changes.0.field")); got != fmt.Sprint("agentDelete", "hr", []any{id}, "agentCode") {
			t.Errorf("the entry is %s", got)
		}
		if told := fmt.Sprint(apptest.At(data, "events.nodes.0.body.data")); !strings.Contains(told, id) || !strings.Contains(told, "changedFields:[agentCode]") || !strings.Contains(told, "agentDelete") {
			t.Errorf("the event is %s", told)
		}
		again := c.Query(t, `mutation($id: ID!) { applicationProcess(input: {id: $id, payStatus: "Active", initiator: "hr"}) { applied userErrors { code } } }`, object{"id": id})
		if apptest.At(again, "applicationProcess.userErrors.0.code") != "INVALID_TRANSITION" {
			t.Errorf("processed again: %v", again)
		}
	})
}
