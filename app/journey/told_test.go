package journey

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/insights/recipe"
)

func at(v any, path string) any { return apptest.At(v, path) }

func text(v any) string {
	if f, ok := v.(float64); ok {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprint(v)
}

func escaped(part string) string { return url.PathEscape(part) }

// changed changes an agent in each of its parts.
func (s *scene) changed(code string) {
	s.Helper()
	for _, change := range []struct {
		path string
		body object
	}{
		{"/agents/" + code, object{"lastName": "Higher", "email": nil, "birthDate": "1981-01-01", "gender": "X"}},
		{"/agents/" + code + "/contact", object{"homeAddress": object{"city": "Paris", "country": "FR"}, "fax": nil}},
		{"/agents/" + code + "/payee", object{"status": "Suspended", "w9": w9("OTHER")}},
		{"/teams/default/members/" + code, object{"membership": object{"directUpline": "SECOND", "level": 20}}},
	} {
		change.body["initiator"] = "hr"
		s.rest("PATCH", change.path, change.body)
	}
}

// licensed gives an agent a licence and returns its id.
func (s *scene) licensed(code, jurisdiction string) string {
	s.Helper()
	return text(s.rest("POST", "/certifications", object{"agentCode": code, "type": "HEALTH", "jurisdiction": jurisdiction, "identifier": unique("0"), "isResidentCertification": true,
		"isVerified": true, "status": "Active", "effectiveFrom": "2026-01-01", "effectiveThrough": "2026-12-31", "initiator": "hr"})["id"])
}

// application is what a recruit fills in, every section of it.
func application() object {
	return object{
		"recruiterAgentCode": "SECOND", "firstName": "Rosa", "lastName": "Ibarra", "emailAddress": unique("r") + "@example.com", "governmentIdentifier": ssn(),
		"middleName": "M", "commonName": "Ro", "suffix": "Jr.", "birthDate": "1985-02-28", "gender": "FEMALE", "maritalStatus": "MARRIED",
		"spouse":      object{"firstName": "Sam", "lastName": "Ibarra", "birthDate": "1984-02-29", "emailAddress": "sam@example.com", "isLicensedAgent": false},
		"homeAddress": object{"address1": "1 Main St", "city": "Boise", "jurisdiction": "US-TX", "postalCode": "01234"},
		"homePhone":   object{"countryCode": "1", "areaCode": "208", "phoneNumber": "5550100"}, "cellPhone": object{"areaCode": "208", "phoneNumber": "5550101"},
		"licenses": object{"npn": "0012345", "isCurrentlyLicensed": true, "items": []any{object{"type": "HEALTH", "jurisdiction": "US-TX", "licenseNumber": "007", "isResident": true,
			"effectiveFrom": "2020-01-01", "expiresOn": "2030-01-01", "linesOfAuthority": []any{"Life", "Health"}}}},
		"employment": object{"isCurrentlyEmployed": true, "hasNonCompete": false, "items": []any{object{"employer": "Acme", "position": "Clerk", "startDate": "2010-01-01", "mayContact": true}}},
		"w9":         object{"taxpayerName": "Rosa Ibarra", "classification": "INDIVIDUAL", "ssn": ssn(), "entryDate": "2026-06-01", "signature": "Rosa"},
		"dedicated":  true, "agentLevelValue": 10, "orderId": "000-1", "cartId": "000-2",
	}
}

// applies starts an application and returns its id.
func (s *scene) applies(form object) string {
	s.Helper()
	s.answered(form)
	made := s.mutate("applicationCreate", form, "application { applicationId }")
	return at(made, "application.applicationId").(string)
}

// answered signs the contract of a form and answers all questions that are published.
func (s *scene) answered(form object) {
	s.Helper()
	published := s.gql(`{ backgroundQuestions { contentItemVersionId responseType } contract { versionId covenants { contentItemVersionId } } }`, nil)
	answers := map[any]string{"BOOLEAN": "false", "TEXT": "words", "DATE": "2026-01-01", "SINGLE_CHOICE": "one"}
	var given, affirmed []any
	for _, q := range at(published, "backgroundQuestions").([]any) {
		given = append(given, object{"contentItemVersionId": at(q, "contentItemVersionId"), "responseValue": answers[at(q, "responseType")]})
	}
	for _, c := range at(published, "contract.covenants").([]any) {
		affirmed = append(affirmed, object{"contentItemVersionId": at(c, "contentItemVersionId"), "responseValue": "true"})
	}
	form["background"] = object{"notes": "None", "responses": given}
	form["contract"] = object{"versionId": at(published, "contract.versionId"), "agreementDate": "2026-06-01", "signature": "Rosa", "responses": affirmed}
}

// processed makes an agent of an application and returns its code.
func (s *scene) processed(id string) string {
	s.Helper()
	s.mutate("applicationSubmit", object{"id": id}, "applied")
	return s.become(id)
}

func (s *scene) become(id string) string {
	s.Helper()
	made := s.mutate("applicationProcess", object{"id": id, "payStatus": "Active", "initiator": "hr"}, "agent { agentCode }")
	return at(made, "agent.agentCode").(string)
}

// llcs are the classifications of an LLC; one that is none for others.
func (s *scene) llcs(classification string) []any {
	if classification != "LLC" {
		return []any{nil}
	}
	var all []any
	for _, v := range s.values("ApplicationLlcClassification") {
		all = append(all, v)
	}
	return all
}

func (s *scene) configured(in object) {
	s.Helper()
	s.mutate("appConfigurationUpdate", in, "applied")
}

func (s *scene) produced(code, premium string) {
	s.Helper()
	s.mutate("productionRecordUpsert", object{"agentCode": code, "providerCompany": "ACO", "policyNumber": unique("00"), "productLine": "Term Life",
		"submittedOn": "2026-05-01", "issuedOn": "2026-05-15", "placedOn": "2026-06-01", "annualPremium": premium, "initiator": "hr"}, "applied")
}

func (s *scene) paid(code, amount string) {
	s.Helper()
	s.mutate("commissionPaymentRecord", object{"agentCode": code, "paidOn": "2026-06-01", "amount": amount, "reference": unique("ref"), "initiator": "hr"}, "applied")
}

// fromRecruitToTakeover is a whole life: recruited with every section, processed,
// changed in each part, moved, licensed, paid, and deleted with its downline taken
// over. An agent who was paid stays, so one is paid and one deleted.
func fromRecruitToTakeover(s *scene) {
	for _, paid := range []bool{true, false} {
		code := s.processed(s.applies(application()))
		s.changed(code)
		below := s.processed(s.applies(application()))
		s.rest("POST", "/teams/default/assigned-uplines", object{"agentCode": below, "uplineAgentCode": code, "effectiveFrom": "2026-06-15", "initiator": "hr"})
		s.licensed(code, "US-TX")
		s.produced(below, "100.10")
		if paid {
			s.paid(code, "12.34")
			continue
		}
		s.rest("DELETE", "/agents/"+code+"?newUplineAgentCode="+root, nil)
	}
}

// reports saves and runs a report of each dataset, with its first fields.
func reports(s *scene) {
	for _, dataset := range recipe.Datasets() {
		columns := []any{}
		for _, f := range dataset.Fields[:min(8, len(dataset.Fields))] {
			columns = append(columns, object{"field": f.Name})
		}
		definition := object{"columns": columns}
		made := s.mutate("reportRecipeCreate", object{"name": unique("Report "), "dataset": dataset.Name, "definition": definition},
			"reportRecipe { id run(first: 50) { totalCount rows } }")
		s.mutate("agencyRecipeCreate", object{"name": unique("Own report "), "dataset": dataset.Name, "definition": definition}, "applied")
		if dataset.Name == "agents" {
			s.mutate("reportRecipeDelete", object{"id": at(made, "reportRecipe.id").(string)}, "applied")
		}
	}
}

// administers changes what no path of REST does.
func administers(s *scene) {
	role, user, client := unique("Role "), unique("user"), unique("crm")
	s.gql(`mutation { roleCreate(input: {name: "`+role+`", scopes: ["read:agents"]}) { applied } }`, nil)
	s.gql(`mutation { roleUpdate(input: {name: "`+role+`", description: "Pays"}) { applied } }`, nil)
	s.gql(`mutation { userCreate(input: {username: "`+user+`", status: APPROVED}) { applied } }`, nil)
	s.gql(`mutation { userSessionsEnd(input: {username: "`+user+`"}) { applied } }`, nil)
	self := s.world.AsUser(s, s.tenant, s.world.AddUser(s, s.tenant, unique("user"), ""))
	kept := self.Query(s, `mutation { m: presetCreate(input: {kind: VIEW, subject: "agents", name: "`+unique("View ")+`", content: {columns: ["agentCode"]}}) { preset { id } } }`, nil)
	preset := at(kept, "m.preset.id").(string)
	self.Query(s, `mutation { presetReplace(input: {id: "`+preset+`", name: "`+unique("View ")+`", content: {}}) { applied } }`, nil)
	self.Query(s, `mutation { presetDelete(input: {id: "`+preset+`"}) { applied } }`, nil)
	self.Query(s, `mutation { viewerSessionsEnd { applied } }`, nil)
	s.gql(`mutation { roleDelete(input: {name: "`+role+`"}) { applied } }`, nil)
	s.gql(`mutation { tenantSettingsUpdate(input: {minPasswordLength: 15}) { applied } }`, nil)
	s.gql(`mutation { contractPublish(input: {title: "Agent contract", body: "Another text", covenants: [{sequence: 1, text: "I agree"}]}) { applied } }`, nil)

	s.mutate("applicationApproveBackground", object{"approved": true, "id": s.applies(application())}, "applied")

	s.gql(`mutation { clientCreate(input: {name: "`+client+`", scopes: ["read:agents"]}) { applied } }`, nil)
	client = "acme." + client
	s.gql(`mutation { clientUpdate(input: {clientId: "`+client+`", description: "CRM"}) { applied } }`, nil)
	s.gql(`mutation { clientDocumentsAdd(input: {clientId: "`+client+`", manifest: {h1: "{ viewer { subject } }"}}) { applied } }`, nil)
	s.gql(`mutation { clientDocumentsRemove(input: {clientId: "`+client+`", documentIds: ["h1"]}) { applied } }`, nil)
	s.gql(`mutation { clientRotateSecret(input: {clientId: "`+client+`"}) { applied } }`, nil)
	key := s.gql(`mutation { apiKeyCreate(input: {clientId: "`+client+`", name: "A key", scopes: ["read:agents"]}) { apiKey { id } } }`, nil)
	s.gql(`mutation { apiKeyRevoke(input: {id: "`+at(key, "apiKeyCreate.apiKey.id").(string)+`"}) { applied } }`, nil)
	s.gql(`mutation { clientDelete(input: {clientId: "`+client+`"}) { applied } }`, nil)

	s.gql(`mutation { signInProviderCreate(input: {name: "okta", issuer: "https://acme.okta.example", clientId: "0oa1"}) { applied } }`, nil)
	s.gql(`mutation { signInProviderUpdate(input: {name: "okta", label: "Okta"}) { applied } }`, nil)
	s.gql(`mutation { signInProviderDelete(input: {name: "okta"}) { applied } }`, nil)

	export := s.gql(`mutation { exportCreate(input: {query: "{ agents { nodes { agentCode } } }", connectionPath: "agents", format: CSV}) { export { id } } }`, nil)
	s.gql(`mutation { exportDelete(input: {id: "`+at(export, "exportCreate.export.id").(string)+`"}) { applied } }`, nil)

	report := `name: "` + unique("Own report ") + `", dataset: "agents", definition: {columns: [{field: "agentCode"}]}}) { reportRecipe { id } } }`
	made := s.gql(`mutation { agencyRecipeCreate(input: {`+report, nil)
	id := at(made, "agencyRecipeCreate.reportRecipe.id").(string)
	s.gql(`mutation { agencyRecipeReplace(input: {id: "`+id+`", `+strings.Replace(report, "Own", "Changed", 1), nil)
	s.gql(`mutation { agencyRecipeDelete(input: {id: "`+id+`"}) { applied } }`, nil)

	receiver := httptest.NewServer(http.NotFoundHandler())
	defer receiver.Close()
	made = s.gql(`mutation { webhookSubscriptionCreate(input: {url: "`+receiver.URL+`", events: ["AgentCreated"]}) { webhookSubscription { id } } }`, nil)
	id = at(made, "webhookSubscriptionCreate.webhookSubscription.id").(string)
	s.gql(`mutation { webhookTest(input: {id: "`+id+`"}) { applied } }`, nil)
	s.gql(`mutation { webhookSubscriptionRotateSecret(input: {id: "`+id+`"}) { applied } }`, nil)
	s.agent(nil)
	s.world.DeliverNow(s, s.tenant)
	tried := s.gql(`{ webhookSubscription(id: "`+id+`") { deliveries(first: 1) { nodes { id } } } }`, nil)
	s.gql(`mutation { webhookDeliveryRetry(input: {id: "`+at(tried, "webhookSubscription.deliveries.nodes.0.id").(string)+`"}) { applied } }`, nil)
	s.gql(`mutation { webhookReplay(input: {id: "`+id+`", from: "2026-01-01T00:00:00Z", through: "2026-12-01T00:00:00Z"}) { applied } }`, nil)
	s.mutate("webhookSubscriptionDelete", object{"id": id}, "applied")
}

// webhooks has one receiver that takes events and one that does not.
func webhooks(s *scene) {
	for _, status := range []int{http.StatusOK, http.StatusInternalServerError} {
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		defer receiver.Close()
		made := s.mutate("webhookSubscriptionCreate", object{"url": receiver.URL, "events": []any{"AgentCreated"}, "maxRetries": 0,
			"isOrdered": status == http.StatusOK, "headers": []any{object{"name": "X-Who", "value": "us"}}}, "webhookSubscription { id }")
		s.agent(nil)
		s.world.DeliverNow(s, s.tenant)
		s.mutate("webhookSubscriptionUpdate", object{"id": at(made, "webhookSubscription.id").(string), "isActive": false}, "applied")
	}
}

// odd are texts that are valid and unusual.
var odd = []string{`O'Brien "Bob"`, `back\slash`, "two\u2028lines", "🦊👩‍👩‍👧", "\u202Eעברית العربية", "Ωμέγα ß ı İ", "=1+1", "-5", "@cmd", "a,b;c|d\te", "%7B{tenant}%00", "<b>&amp;</b>", "007"}

func texts(s *scene) {
	for _, v := range odd {
		in := everything()
		for _, name := range []string{"firstName", "middleName", "lastName", "commonName", "customerId"} {
			in[name] = v
		}
		in["homeAddress"] = object{"line1": v, "line2": v, "city": v, "postalCode": v, "jurisdiction": "US-TX"}
		in["w9"].(object)["name"], in["w9"].(object)["businessName"], in["directDeposit"].(object)["accountHolderName"] = v, v, v
		code, company, initiator := s.agent(in), unique("CO"), strings.ReplaceAll(v, "\t", " ") // an initiator has one line
		s.mutate("providerCompanyUpsert", object{"code": company, "name": v, "initiator": "hr"}, "applied")
		s.rest("POST", "/agents/"+code+"/aliases", object{"identifier": v, "providerCompany": company, "initiator": initiator})
		tag := unique("Tag ")
		s.rest("POST", "/tags", object{"name": tag, "description": v, "initiator": initiator})
		s.rest("PATCH", "/agents/"+code+"/tags", object{"tags": []any{object{"operation": "Assign", "tag": tag}}, "initiator": initiator})
		s.mutate("reportRecipeCreate", object{"name": unique("Report "), "description": strings.ReplaceAll(v, "\t", " "), "dataset": "agents", "definition": object{"columns": []any{object{"field": "agentCode"}}}}, "applied")
		form := application()
		form["firstName"], form["lastName"], form["suffix"] = v, v, v
		s.applies(form)
	}
	s.agent(object{"agentCode": unique("0.a_B-")})
}

func bounds(s *scene) {
	code := s.agent(object{"birthDate": "1900-01-01", "startDate": "1950-01-01T00:00:00Z"})
	for _, from := range []string{"1900-01-01", "1969-12-31", "2200-12-30"} {
		s.rest("POST", "/payees/assigned-statuses", object{"agentCode": code, "status": "Suspended", "effectiveFrom": from, "effectiveThrough": from, "initiator": "hr"})
		s.rest("POST", "/teams/default/assigned-levels", object{"agentCode": code, "level": 20, "effectiveFrom": from, "effectiveThrough": from, "initiator": "hr"})
		s.rest("POST", "/certifications", object{"agentCode": code, "type": "HEALTH", "jurisdiction": "US-TX", "identifier": from, "isResidentCertification": true, "isVerified": true,
			"status": "Active", "effectiveFrom": from, "effectiveThrough": from, "initiator": "hr"})
	}
	for _, level := range []int{1, 1000000} {
		s.rest("POST", "/teams/default/agent-levels", object{"value": level, "name": fmt.Sprint("Level ", level), "initiator": "hr"})
		s.rest("PATCH", "/teams/default/members/"+code, object{"membership": object{"level": level}, "initiator": "hr"})
	}
}

// zeros: identifiers are texts, whatever they look like.
func zeros(s *scene) {
	code := unique("000")
	in := everything()
	in["agentCode"] = code
	s.agent(in)
	r := s.rest("GET", "/agents/"+code, nil)
	for _, path := range []string{"agentCode", "npn", "customerId", "homeAddress.postalCode", "w9.accountNumber", "directDeposit.accountNumber"} {
		if got, want := at(r, path), at(in, path); got != want || !strings.HasPrefix(text(want), "0") {
			s.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

// imported writes the agents of acme as a file and brings it into umbra.
func imported(s *scene) {
	w := s.Send(s, http.MethodGet, "/agency-management/{tenant}/agents?pageSize=5&sort=agentCode", nil, nil)
	var page struct{ Items []object }
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
		s.Fatal(err)
	}
	var rows strings.Builder
	for _, item := range page.Items {
		row := object{"agentCode": unique("IMP"), "startDate": item["startDate"], "status": item["status"], "teams": object{"default": object{"level": 10}}}
		for _, name := range []string{"firstName", "middleName", "lastName", "commonName", "birthDate", "gender", "npn", "customerId", "homeAddress", "cellPhone"} {
			if item[name] != nil {
				row[name] = item[name]
			}
		}
		encoded, err := json.Marshal(row)
		if err != nil {
			s.Fatal(err)
		}
		rows.Write(append(encoded, '\n'))
	}
	there := s.in(apptest.Umbra)
	if r := there.Upload(s, "mutation($input: BulkUnderstandInput!) { bulkUnderstand(input: $input) { entity rowCount } }", object{"entity": "AGENT"}, rows.String()); text(at(r.Data, "bulkUnderstand.entity")) != "AGENT" || text(at(r.Data, "bulkUnderstand.rowCount")) != fmt.Sprint(len(page.Items)) {
		s.Errorf("the file of agents is understood as %v %+v", r.Data, r.Errors)
	}
	r := there.Upload(s, `mutation($input: BulkImportInput!) { bulkImport(input: $input, dryRun: false) { createdCount rejectedCount rows { userErrors { code field message } } userErrors { code field message } } }`,
		object{"entity": "AGENT", "initiator": "hr"}, rows.String())
	if n := text(at(r.Data, "bulkImport.createdCount")); n != fmt.Sprint(len(page.Items)) || len(page.Items) == 0 {
		s.Errorf("%s of %d agents were brought in: %v %v", n, len(page.Items), r.Errors, at(r.Data, "bulkImport"))
	}
}

// writers has twenty write one agent at once, through both doors; who comes too late
// may be told so, and what is stored holds together.
func writers(s *scene) {
	code, wait := s.agent(everything()), sync.WaitGroup{}
	allowed := []int{http.StatusOK, http.StatusCreated, http.StatusConflict}
	for i := range 20 {
		wait.Go(func() {
			day := fmt.Sprintf("2026-%02d-%02d", 1+i%6, 1+i)
			for _, r := range []struct {
				method, path string
				body         object
			}{
				{"POST", "/payees/assigned-statuses", object{"agentCode": code, "status": []string{"Active", "Suspended"}[i%2], "effectiveFrom": day, "initiator": "hr"}},
				{"POST", "/teams/default/assigned-levels", object{"agentCode": code, "level": 10 + 10*(i%3), "effectiveFrom": day, "initiator": "hr"}},
				{"POST", "/teams/default/assigned-uplines", object{"agentCode": code, "uplineAgentCode": []string{root, "SECOND"}[i%2], "effectiveFrom": day, "initiator": "hr"}},
				{"PATCH", "/agents/" + code, object{"commonName": fmt.Sprint("N", i), "initiator": "hr"}},
			} {
				if status, _, answer := s.REST(s, r.method, r.path, r.body); !slices.Contains(allowed, status) {
					s.Errorf("%s %s: %d %s", r.method, r.path, status, answer)
				}
			}
		})
	}
	wait.Wait()
}
