package doors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// object is a JSON object.
type object = map[string]any

// foreign is what the tenant umbra has and acme must never see. Every name in it
// contains mark, in some letter case.
type foreign struct {
	world *apptest.World
	// keys are umbra's keys by the name of the parameter that takes them; ids
	// are read off its own answers.
	keys map[string]any
	// globalIDs are the ids of all its objects that have one.
	globalIDs []string
	// filters counts the lists that were asked for its keys.
	filters int
}

const mark = "umbra"

// allScopes are all scopes of what is tried.
var allScopes = bearer.TenantScopes()

// newForeign fills umbra with one record of every kind.
func newForeign(t *testing.T, w *apptest.World) *foreign {
	t.Helper()
	f := &foreign{world: w, keys: object{}}
	c := w.As(apptest.Umbra, allScopes...)
	must := func(method, path string, body object) object {
		t.Helper()
		body["initiator"] = "umbra-hr"
		status, _, answer := c.REST(t, method, path, body)
		if status >= http.StatusMultipleChoices {
			t.Fatalf("%s %s: %d %s", method, path, status, answer)
		}
		var made object
		if err := json.Unmarshal(answer, &made); err != nil {
			t.Fatal(err)
		}
		return made
	}
	must("POST", "/certification-types", object{"code": "UMBRATYPE", "name": "Umbra type"})
	must("POST", "/jurisdictions", object{"id": "UM-BR", "name": "Umbra"})
	must("POST", "/pay-statuses", object{"name": "Umbra status", "isActive": true})
	must("POST", "/tags", object{"name": "Umbra tag"})
	bring(t, c, "TAG", "name\nUmbra tag of a file\n", false, object{"initiator": "umbra-hr"})
	must("POST", "/teams/default/agent-levels", object{"value": 777, "name": "Umbra level"})
	c.Query(t, `mutation { providerCompanyUpsert(input: {code: "UMBRACO", name: "Umbra company", initiator: "umbra-hr"}) { applied } }`, nil)
	c.Query(t, `mutation { signInProviderCreate(input: {name: "umbra-idp", label: "Umbra", issuer: "https://umbra.example", clientId: "umbra"}) { applied } }`, nil)
	c.Query(t, `mutation { productCreate(input: {code: "UMBRAPRODUCT", name: "Umbra product"}) { applied }
		productRuleApply(input: {product: "UMBRAPRODUCT", rule: "Umbra rule", requiresActiveStatus: true, effectiveFrom: "2026-01-01"}) { applied } }`, nil)
	for _, code := range []string{"UMBRA1", "UMBRA2"} {
		must("POST", "/agents", object{"agentCode": code, "firstName": "Umbra", "lastName": "Umbra", "status": "Umbra status",
			"governmentIdentifier": "UMBRA-4711", "email": "umbra@umbra.example", "npn": "umbra1", "teams": object{"default": object{"level": 777}},
			"homeAddress":   object{"line1": "Umbra street", "jurisdiction": "UM-BR"},
			"w9":            object{"name": "Umbra", "taxClassification": "Individual", "taxpayerIdentifier": "umbra-0815"},
			"directDeposit": object{"country": "CA", "accountHolderName": "Umbra", "accountType": "Checking", "institutionNumber": "003", "transitNumber": "12345", "accountNumber": "1234567"}})
	}
	must("POST", "/teams/default/assigned-uplines", object{"agentCode": "UMBRA2", "uplineAgentCode": "UMBRA1", "effectiveFrom": "2026-06-01"})
	must("PATCH", "/agents/UMBRA1/tags", object{"tags": []any{object{"operation": "Assign", "tag": "Umbra tag"}}})
	alias := must("POST", "/agents/UMBRA1/aliases", object{"identifier": "umbra-alias", "providerCompany": "UMBRACO"})
	certification := must("POST", "/certifications", object{"agentCode": "UMBRA1", "type": "UMBRATYPE", "jurisdiction": "UM-BR",
		"providerCompany": "UMBRACO", "identifier": "umbra-licence", "isResidentCertification": true, "isVerified": true})
	w.RebuildNow(t, apptest.Umbra)
	made := c.Query(t, `mutation {
		roleCreate(input: {name: "Umbra role", scopes: ["read:agents"]}) { applied }
		userCreate(input: {username: "umbra.user", email: "umbra@umbra.example", agentCode: "UMBRA1", roles: ["Umbra role"]}) { applied }
		clientCreate(input: {name: "crm", description: "Umbra client", scopes: ["read:agents"]}) { applied }
		clientDocumentsAdd(input: {clientId: "umbra.crm", manifest: {umbra: "{ viewer { subject } }"}}) { applied }
		apiKeyCreate(input: {clientId: "umbra.crm", name: "Umbra key", scopes: ["read:agents"]}) { apiKey { id } } }`, nil)
	if apptest.At(made, "userCreate.applied") != true {
		t.Fatalf("%v", made)
	}
	hook := c.Query(t, `mutation { webhookSubscriptionCreate(input: {url: "https://umbra.example/hook", events: ["AgentCreated"]}) { webhookSubscription { id } userErrors { message } } }`, nil)
	c.Query(t, `mutation { contractPublish(input: {title: "Umbra", body: "Umbra", covenants: [{sequence: 1, text: "Umbra"}]}) { applied }
		backgroundQuestionPublish(input: {sequence: 1, text: "Umbra?", responseType: TEXT}) { applied } }`, nil)
	content := c.Query(t, `{ backgroundQuestions { contentItemId } contract { versionId covenants { contentItemId } } }`, nil)
	scenario := c.Query(t, `mutation { scenarioCreate(input: {name: "Umbra scenario", effectiveFrom: "2026-06-01", moves: [{agentCode: "UMBRA2", newUplineAgentCode: null}]}) { scenario { id } } }`, nil)
	application := apptest.CreateApplication(t, c, object{"recruiterAgentCode": "UMBRA1", "firstName": "Umbra", "lastName": "Umbra",
		"emailAddress": "umbra@umbra.example", "governmentIdentifier": "UMBRA-4712"})
	// What acme tries to create is a duplicate of its own, and nothing of umbra's.
	const ownEmail = "acme@acme.example"
	apptest.CreateApplication(t, w.As(apptest.Acme, allScopes...), object{"recruiterAgentCode": "ACME", "firstName": "Ac", "lastName": "Me", "emailAddress": ownEmail})

	f.keys = object{"agentCode": "UMBRA1", "uplineAgentCode": "UMBRA1", "downlineAgentCode": "UMBRA1", "directUpline": "UMBRA1", "newUplineAgentCode": "UMBRA1",
		"rootAgentCode": "UMBRA1", "type": "UMBRATYPE", "providerCompany": "UMBRACO", "jurisdiction": "UM-BR", "tag": "Umbra tag", "product": "UMBRAPRODUCT", "status": "Umbra status",
		"payStatus": "Umbra status", "level": json.Number("777"), "newLevel": json.Number("777"), "identifier": "umbra-licence",
		"certificationId": certification["id"], "governmentIdentifier": "UMBRA-4711", "email": "umbra@umbra.example", "npn": "umbra1",
		"firstName": "Umbra", "lastName": "Umbra", "initiator": "acme-hr",
		"alias": alias["id"], "certification": certification["id"], "subscriptionId": apptest.At(hook, "webhookSubscriptionCreate.webhookSubscription.id"),
		"username": "umbra.user", "role": "Umbra role", "provider": "umbra-idp", "clientId": "umbra.crm", "apiKey": apptest.At(made, "apiKeyCreate.apiKey.id"),
		"scenario": apptest.At(scenario, "scenarioCreate.scenario.id"), "application": application, "recruiterAgentCode": "UMBRA1", "emailAddress": ownEmail,
		"url": "https://acme.example/hook", "events": "AgentCreated",
		"defaultPayStatus": "Umbra status", "defaultAgentLevel": json.Number("777"), "contentItemId": apptest.At(content, "backgroundQuestions.1.contentItemId"),
		"contractVersion": apptest.At(content, "contract.versionId"), "covenant": apptest.At(content, "contract.covenants.0.contentItemId"),
		"preset": presetOf(t, w.AsUser(t, apptest.Umbra, w.AddUser(t, apptest.Umbra, "umbra.keeper", "", "Administrator")), object{"kind": "VIEW", "subject": "agents", "name": "Umbra preset", "content": object{"umbra": "UMBRA1"}, "isShared": true}),
		"recipe": saveOwn(t, c, "Umbra recipe"), "recipeName": "Acme recipe", "dataset": "agents",
		"definition": object{"columns": []any{object{"field": "agentCode"}}}}
	f.collectIDs(t, c)
	if err := w.Graph.StoreUses(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

// createApplication returns the id of a new application.

// collectIDs reads the global id of every object of umbra that has one.
func (f *foreign) collectIDs(t *testing.T, c *apptest.Caller) {
	t.Helper()
	data := c.Query(t, `{
		agents(first: 3) { nodes { id w9Periods(first: 3) { nodes { id } } payStatusPeriods(first: 3) { nodes { id } }
			uplinePeriods(first: 3) { nodes { id } } levelPeriods(first: 3) { nodes { id } } } }
		certifications(first: 3) { nodes { id periods(first: 3) { nodes { id } } } }
		aliases { nodes { id } } tags { id } certificationTypes { id } products { id } jurisdictions { id } payStatuses { id } agentLevels { id } providerCompanies { id }
		users { nodes { id } } roles { nodes { id } } team { id } hierarchyBuild { id } auditLog { nodes { id } } contract { id } applications { nodes { id } }
	}`, nil)
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case object:
			if id, ok := v["id"].(string); ok {
				f.globalIDs = append(f.globalIDs, id)
			}
			for _, child := range v {
				walk(child)
			}
		case []any:
			for _, child := range v {
				walk(child)
			}
		}
	}
	walk(data)
	if len(f.globalIDs) < 50 {
		t.Fatalf("only %d ids", len(f.globalIDs))
	}
}

// state is everything umbra can read of itself.
func (f *foreign) state(t *testing.T) string {
	t.Helper()
	c := f.world.As(apptest.Umbra)
	var all strings.Builder
	for _, path := range []string{"/agents", "/certifications/history", "/aliases", "/tags/assigned", "/payees/assigned-statuses", "/payees/w9s",
		"/teams/default/assigned-uplines", "/teams/default/assigned-levels", "/teams/default/downline-members",
		"/certification-types", "/jurisdictions", "/pay-statuses", "/tags", "/teams/default/agent-levels"} {
		status, _, body := c.REST(t, http.MethodGet, path, nil)
		if status != http.StatusOK {
			t.Fatalf("GET %s: %d %s", path, status, body)
		}
		all.Write(body)
		all.WriteByte('\n')
	}
	for _, path := range []string{"/identity-management/{tenant}/users", "/identity-management/{tenant}/roles", "/agent-onboarding/{tenant}/applications"} {
		all.Write(f.world.As(apptest.Umbra, allScopes...).Send(t, http.MethodGet, path, nil, nil).Body.Bytes())
	}
	content := f.world.As(apptest.Umbra, allScopes...).Query(t, `{ appConfiguration { version } backgroundQuestions { contentItemVersionId }
		contract { versionId covenants { contentItemVersionId } } }`, nil)
	return all.String() + fmt.Sprint(content)
}

// leaks reports whether an answer to acme has anything of umbra in it.
func leaks(answer []byte) bool { return strings.Contains(strings.ToLower(string(answer)), mark) }
