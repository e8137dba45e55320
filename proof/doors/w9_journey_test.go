package doors_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/patch"
)

const (
	submitApplication  = `mutation($id: ID!) { applicationSubmit(input: {id: $id}) { applied userErrors { code field message } } }`
	processApplication = `mutation($id: ID!, $code: String!) { applicationProcess(input: {id: $id, agentCode: $code, payStatus: "Active", initiator: "reviewer"}) { applied userErrors { code field message } } }`
)

// recruits are W9s of applications, one of each classification and of each LLC, by
// the tax classification that the agent's has.
func recruits() map[string]object {
	all := map[string]object{}
	for _, class := range onboarding.W9Classifications.Texts() {
		if class != onboarding.LLC {
			all[class] = object{"taxpayerName": "Rosa", "classification": enum.Spelled(class), "llcClassification": "S"}
			continue
		}
		for _, llc := range onboarding.LLCClassifications.Texts() {
			all["LLC_"+llc] = object{"taxpayerName": "Rosa LLC", "classification": "Llc", "llcClassification": llc}
		}
	}
	return all
}

// A recruit with a W9 of any classification becomes an agent, whose W9 has the
// tax classification of the list; every list with W9s answers from then on.
func TestEveryW9ClassificationIsProcessed(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, allScopes...)
		newAgentOver(t, c, "A1")
		collectNothing(t, w)
		want := map[string]string{}
		for class, w9 := range recruits() {
			code := "R-" + strings.ReplaceAll(class, "_", "-")
			want[code] = enum.Spelled(class)
			id := apptest.CreateApplication(t, c, object{"recruiterAgentCode": "A1", "firstName": "Rosa", "lastName": class, "emailAddress": code + "@example.com", "w9": w9})
			for _, step := range []string{submitApplication, processApplication} {
				variables := object{"id": id}
				if step == processApplication {
					variables["code"] = code
				}
				if done := fmt.Sprint(c.Query(t, step, variables)); !strings.Contains(done, "applied:true") {
					t.Fatalf("%s: %s", class, done)
				}
			}
		}
		sameValues(t, "tax classifications", record.TaxClassifications.Texts(), classesOf(recruits()))
		for code, class := range want {
			if got := apptest.At(read(t, c, "/agents/"+code), "w9.taxClassification"); got != class {
				t.Errorf("GET /agents/%s: %v; want %s", code, got, class)
			}
		}
		agents := apptest.Each(read(t, c, "/agents?pageSize=100"), "items", "agentCode")
		w9s := apptest.Each(read(t, c, "/payees/w9s?pageSize=100"), "items", "w9.taxClassification")
		if len(agents) != len(want)+1 || len(w9s) != len(want) {
			t.Errorf("%d agents, W9s %v", len(agents), w9s)
		}
		for path, column := range map[string]string{"/agents": "w9.taxClassification", "/payees/w9s": "w9.taxClassification"} {
			for i, cell := range cellsOf(t, c, "/agency-management/{tenant}"+path+"?pageSize=100", column) {
				if code := cellsOf(t, c, "/agency-management/{tenant}"+path+"?pageSize=100", "agentCode")[i]; cell != want[code] {
					t.Errorf("%s as CSV: %s of %s; want %s", path, cell, code, want[code])
				}
			}
		}
		data := c.Query(t, `{ agents(first: 100) { nodes { agentCode payee { w9 { taxClassification } } } } }`, nil)
		for _, node := range apptest.At(data, "agents.nodes").([]any) {
			if code := apptest.At(node, "agentCode").(string); code != "A1" && enum.Spelled(apptest.At(node, "payee.w9.taxClassification").(string)) != want[code] {
				t.Errorf("GraphQL: %v", node)
			}
		}
	})
}

func classesOf(w9s map[string]object) (classes []string) {
	for class := range w9s {
		classes = append(classes, class)
	}
	return classes
}

// collectNothing publishes a configuration that asks recruits for nothing.
func collectNothing(t *testing.T, w *apptest.World) {
	t.Helper()
	off := patch.Set(false)
	_, _, err := w.Onboarding.PublishConfiguration(w.Context(t, apptest.Acme), onboarding.ConfigurationInput{CollectTaxID: off, CollectBirthDate: off,
		CollectMaritalInfo: off, CollectHomeAddress: off, CollectCorrespondenceAddress: off, CollectPrimaryPhone: off, CollectCellPhone: off,
		CollectLicenseInfo: off, CollectEmploymentInfo: off, CollectTaxInfo: off, CollectContract: off, CollectPersonalHistory: off, RequiresPayment: off})
	if err != nil {
		t.Fatal(err)
	}
}

func newAgentOver(t *testing.T, c *apptest.Caller, code string) {
	t.Helper()
	if status, _, answer := c.REST(t, http.MethodPost, "/agents", object{"agentCode": code, "firstName": "Ana", "lastName": "Diaz", "status": "Active",
		"teams": object{"default": object{"level": 10}}, "initiator": "hr"}); status != http.StatusCreated {
		t.Fatalf("POST /agents: %d %s", status, answer)
	}
}

// cellsOf are the cells of a column of a list as CSV.
func cellsOf(t *testing.T, c *apptest.Caller, path, column string) (cells []string) {
	t.Helper()
	answer := c.Send(t, http.MethodGet, path, http.Header{"Accept": {"text/csv"}}, nil)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(answer.Body.String(), "\ufeff"))).ReadAll()
	if err != nil || answer.Code != http.StatusOK {
		t.Fatalf("GET %s as CSV: %d %v %s", path, answer.Code, err, answer.Body)
	}
	for i, name := range rows[0] {
		if name == column {
			for _, row := range rows[1:] {
				cells = append(cells, row[i])
			}
			return cells
		}
	}
	t.Fatalf("GET %s as CSV has no column %s but %q", path, column, rows[0])
	return nil
}

// No tax classification of an agent's W9 stands for an LLC that does not say how it
// is taxed: processing refuses it, although the agency collects no W9s, and names the
// field of the application. Once the LLC says it, the agent is there.
func TestLLCSaysHowItIsTaxed(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, allScopes...)
		newAgentOver(t, c, "A1")
		collectNothing(t, w)
		body := object{"recruiterAgentCode": "A1", "firstName": "Rosa", "lastName": "LLC", "emailAddress": "llc@example.com",
			"w9": object{"taxpayerName": "Rosa LLC", "classification": "Llc"}}
		id := apptest.CreateApplication(t, c, body)
		c.Query(t, submitApplication, object{"id": id})
		process := func() string { return fmt.Sprint(c.Query(t, processApplication, object{"id": id, "code": "R1"})) }
		if refused := process(); !strings.Contains(refused, "applied:false") || !strings.Contains(refused, "field:[w9 llcClassification]") {
			t.Errorf("processed: %s", refused)
		}
		if status, _, _ := c.REST(t, http.MethodGet, "/agents/R1", nil); status != http.StatusNotFound {
			t.Errorf("GET /agents/R1: %d", status)
		}
		c.Query(t, `mutation($id: ID!) { applicationHold(input: {id: $id, reason: "how is it taxed?"}) { applied } }`, object{"id": id})
		body["w9"].(object)["llcClassification"] = "P"
		if status, _, answer := sendTo(t, c, http.MethodPut, "/agent-onboarding/{tenant}/applications/"+id, body); status != http.StatusOK {
			t.Fatalf("PUT: %d %s", status, answer)
		}
		c.Query(t, `mutation($id: ID!) { applicationResume(input: {id: $id}) { applied } }`, object{"id": id})
		if done := process(); !strings.Contains(done, "applied:true") {
			t.Errorf("processed: %s", done)
		}
		if got := apptest.At(read(t, c, "/agents/R1"), "w9.taxClassification"); got != "LlcP" {
			t.Errorf("the agent's: %v", got)
		}
	})
}
