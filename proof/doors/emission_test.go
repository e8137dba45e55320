package doors_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
)

// Each change leaves the events that its row of the catalogue names, in the same
// transaction; "no event for a request that changed nothing", nor for one that
// was refused or only previewed.
func TestChangesEmitEvents(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		agent := func(code string) object {
			return object{"agentCode": code, "firstName": "A", "lastName": "B", "status": "Active", "startDate": "2025-01-01T12:00:00Z",
				"teams": object{"default": object{"level": 10}}}
		}
		for _, step := range []struct {
			method, path string
			body         object
			again        bool // the same request once more changes nothing
			want         string
		}{
			{"POST", "/agents", agent("A1"), false, "AgentCreated HierarchyBuildCompleted"},
			{"POST", "/agents", agent("A1"), false, ""},
			{"POST", "/agents", agent("A2"), false, "AgentCreated HierarchyBuildCompleted"},
			{"PATCH", "/agents/A1", object{"firstName": "Ana"}, true, "AgentUpdated"},
			{"PATCH", "/agents/A1/contact", object{"homeAddress": object{"city": "Austin"}}, true, "AgentUpdated"},
			{"PATCH", "/agents/A1/payee?dryRun=true", object{"status": "Suspended"}, false, ""},
			{"PATCH", "/agents/A1/payee", object{"status": "Suspended", "directDeposit": deposit(),
				"w9": object{"name": "A", "taxClassification": "Individual"}}, true, "AgentDirectDepositChanged AgentPayStatusChanged AgentUpdated AgentW9Changed"},
			{"POST", "/payees/assigned-statuses", object{"agentCode": "A1", "status": "Active", "effectiveFrom": "2026-08-01"}, true, "AgentPayStatusChanged AgentUpdated"},
			{"POST", "/payees/w9s", object{"agentCode": "A1", "effectiveFrom": "2026-08-01", "w9": object{"name": "C", "taxClassification": "Individual"}}, true, "AgentUpdated AgentW9Changed"},
			{"PATCH", "/teams/default/members/A2", object{"membership": object{"directUpline": "A1", "level": 20}}, true, "AgentLevelChanged AgentUpdated AgentUplineChanged HierarchyBuildCompleted"},
			{"POST", "/teams/default/assigned-uplines", object{"agentCode": "A2", "uplineAgentCode": nil, "effectiveFrom": "2027-01-01"}, true, "AgentUpdated AgentUplineChanged HierarchyBuildCompleted"},
			{"POST", "/teams/default/assigned-levels", object{"agentCode": "A2", "level": 10, "effectiveFrom": "2027-01-01"}, true, "AgentLevelChanged AgentUpdated"},
			{"POST", "/tags", object{"name": "T"}, false, "ReferenceDataChanged"},
			{"PATCH", "/agents/A1/tags", object{"tags": []any{object{"operation": "Assign", "tag": "T"}}}, true, "AgentTagsChanged AgentUpdated"},
			{"POST", "/agents/A1/aliases", object{"identifier": "W1"}, false, "AgentAliasCreated AgentUpdated"},
			{"DELETE", "/aliases/1", nil, false, "AgentAliasDeleted AgentUpdated"},
			{"POST", "/certifications", object{"agentCode": "A1", "type": "AML", "isResidentCertification": true, "isVerified": false}, true, "AgentUpdated CertificationCreated"},
			{"PATCH", "/certifications/1", object{"isVerified": true}, true, "AgentUpdated CertificationUpdated"},
			{"POST", "/certifications/1/history", object{"status": "Expired", "effectiveFrom": "2027-01-01"}, true, "AgentUpdated CertificationStatusChanged CertificationUpdated"},
			{"DELETE", "/certifications/1", nil, false, "AgentUpdated CertificationDeleted"},
			{"DELETE", "/agents/A1", nil, false, ""},
			{"DELETE", "/agents/A2", nil, false, "AgentDeleted HierarchyBuildCompleted"},
		} {
			if got := emitted(t, w, func() { change(t, c, step.method, step.path, step.body) }); got != step.want {
				t.Errorf("%s %s: events %q, want %q", step.method, step.path, got, step.want)
			}
			if !step.again {
				continue
			}
			if got := emitted(t, w, func() { change(t, c, step.method, step.path, step.body) }); got != "" {
				t.Errorf("%s %s once more: events %q", step.method, step.path, got)
			}
		}
		fitSchemas(t, w)
	})
}

func change(t *testing.T, c *apptest.Caller, method, path string, body object) {
	t.Helper()
	if body != nil {
		body["initiator"] = "hr"
	}
	if status, _, answer := c.REST(t, method, path, body); status >= http.StatusInternalServerError {
		t.Errorf("%s %s: %d %s", method, path, status, answer)
	}
}

// emitted runs f and returns the short names of the events that it left, sorted.
func emitted(t *testing.T, w *apptest.World, f func()) string {
	t.Helper()
	before := len(feed(t, w))
	f()
	var names []string
	for _, e := range feed(t, w)[before:] {
		names = append(names, e.Type[strings.LastIndex(e.Type, ".")+1:])
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// feed reads all events of acme.
func feed(t *testing.T, w *apptest.World) (all []*events.Stored) {
	t.Helper()
	first := 100
	args := page.Args{First: &first}
	for {
		p, err := w.Events.Page(w.Context(t, apptest.Acme), events.Filter{}, args)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p.Items...)
		if !p.HasNext {
			return all
		}
		cursor := p.Cursor(p.Items[len(p.Items)-1])
		args.After = &cursor
	}
}
