package takeback

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
)

type object = map[string]any

// today is where the ledgers' days begin to be in the future.
var now = time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC)

var today = dayOf("2026-06-15")

// pools have the values of fields of inputs, by Input.field or by field: few, so that writes
// meet. A function says what there is.
var pools = map[string]any{
	"agentCode": there("Agent"), "AgentRegisterInput.agentCode": func(g *draws) []any { return g.missing("Agent", "A3", "A4", "A5", "A6") },
	"uplineAgentCode": there("Agent", nil), "directUpline": there("Agent", nil), "newUplineAgentCode": there("Agent", nil), "recruiterAgentCode": there("Agent"),
	"UserCreateInput.agentCode": there("Agent"), "UserUpdateInput.agentCode": there("Agent", nil),
	"firstName": list("Ann", "Bea"), "middleName": list("M", "N", nil), "lastName": list("Lee", "Diaz"), "commonName": list("Annie", nil), "suffix": list("Jr.", nil),
	"email": list("a@acme.example", "b@acme.example", nil), "npn": list("1234567", "7654321", nil), "customerId": list("C-1", nil), "gender": list("F", "M", nil),
	"birthDate": list("1980-01-02", "1990-03-04", nil), "startDate": list("2026-06-01T12:00:00Z", "2026-06-12T12:00:00Z"), "governmentIdentifier": list("523-45-6781", "523-45-6789", nil),
	"line1": list("1 Elm", "2 Oak", nil), "line2": list("Flat 9", nil), "city": list("Austin", "Waco", nil), "jurisdiction": there("Jurisdiction", "US-TX", nil), "postalCode": list("73301", nil), "country": list("US", nil),
	"areaCode": list("512", "254", nil), "phoneNumber": list("5550100", "5550199"), "countryCode": list("1", "44", nil),
	"streetAddress": list("3 Ash", nil), "state": list("TX", nil), "zipCode": list("76701", nil), "businessName": list("Lee Inc", nil), "exemptPayee": list("5", nil), "W9Input.name": list("Ann Lee", "Lee Inc"), "W9UpdateInput.name": list("Ann Lee", "Bea Lee"),
	"accountNumber": list("66699912345", "77700012345"), "taxpayerIdentifier": list("98-7654399", "97-1122334", nil), "signature": list("Zebulon Q. Canary", nil), "signatureDate": list("2026-06-02", nil),
	"accountHolderName": list("Ann Lee", "Bea Lee"), "bankName": list("First Bank", nil), "routingNumber": list("021000021"), "DirectDepositInput.country": list("US"),
	"taxClassification": list("INDIVIDUAL", "LLC_S"), "DirectDepositInput.institutionNumber": list(nil), "DirectDepositInput.transitNumber": list(nil),
	"status": usual("PayStatus", "Active", "Suspended"), "CertificationPeriodApplyInput.status": list("ACTIVE", "EXPIRED"), "CertificationUpdateInput.status": list("ACTIVE", "EXPIRED"), "CertificationUpsertInput.status": list("ACTIVE", "EXPIRED"),
	"UserCreateInput.status": list("APPROVED", "PENDING"), "UserUpdateInput.status": list("APPROVED", "PENDING"), "newPayStatus": usual("PayStatus", "Active", "Suspended"),
	"level": list(10, 20, 30), "newLevel": list(10, 20, 77), "value": list(10, 20, 77), "AgentLevelCreateInput.value": list(77), "AgentLevelDeleteInput.value": list(77, 20), "minimumLevel": list(10, 20, nil),
	"identifier": list("X1", "X2"), "CertificationUpsertInput.identifier": list("77", nil), "providerCompany": list("BLH", "ACO", nil), "ProductionRecordUpsertInput.providerCompany": list("BLH"),
	"type": list("AML", "LIFE", "CRAFT"), "note": list("first", "second", nil), "tag": there("Tag", "GOLD"),
	"effectiveFrom": func(g *draws) []any {
		return list(day(today), day(today-5), day(today-1), day(today+1), day(today+5), day(today-8))
	},
	"effectiveThrough": func(g *draws) []any { return list(nil, day(today+2), day(today+7), day(today-2), day(today)) },
	"reason":           list("because", nil), "description": list("one", "two", nil), "color": list("#112233", "#445566", nil), "sortOrder": list(1, 2), "naicCode": list("12345", nil), "lineOfAuthority": list("LIFE", nil),
	"CertificationTypeCreateInput.code": list("CRAFT", "ART"), "CertificationTypeUpdateInput.code": list("CRAFT", "AML"), "CertificationTypeDeleteInput.code": list("CRAFT", "ART"),
	"JurisdictionCreateInput.code": list("XX-QC", "XX-ON"), "JurisdictionUpdateInput.code": list("XX-QC", "XX-ON"), "JurisdictionDeleteInput.code": list("XX-QC", "XX-ON"),
	"JurisdictionCreateInput.country": list("XX"), "JurisdictionUpdateInput.country": list("XX"), "kind": list("State", "Province"),
	"PayStatusCreateInput.name": list("Away", "Resting"), "PayStatusUpdateInput.name": list("Away", "Active"), "PayStatusDeleteInput.name": list("Away", "Resting"),
	"TagCreateInput.name": list("GOLD", "VIP"), "TagUpdateInput.name": list("GOLD", "VIP"), "TagDeleteInput.name": list("GOLD", "VIP"),
	"ProductCreateInput.code": list("TERM", "WHOLE"), "ProductUpdateInput.code": list("TERM", "WHOLE"), "ProductDeleteInput.code": list("TERM", "WHOLE"), "product": there("Product", "TERM"), "rule": list("Licence", "Rank"),
	"ProviderCompanyUpsertInput.code": list("ACO", "BCO"), "name": list("one", "two"), "jurisdictions": list(list(), list("US-TX")), "certificationTypes": list(list("AML"), list("LIFE", "AML")), "uplineDepth": list(0, 1),
	"team": list("default"), "RoleCreateInput.name": list("Clerk", "Guest"), "RoleUpdateInput.name": list("Clerk", "Guest"), "RoleDeleteInput.name": list("Clerk", "Guest"),
	"scopes": list(list("read:agents"), list("read:agents", "read:users")), "username": list("ana", "bob"), "roles": list(list("Agent"), list("Clerk"), list("Agent", "Manager")), "password": list("Tulip-bucket-91", "Basket-violin-47"),
	"timeZone": list("UTC", "Europe/London"), "defaultPageSize": list(40, 50), "maxPageSize": list(90, 100), "minPasswordLength": list(8, 12), "valuesKeptYears": list(0, 9),
	"passwordSignIn": list(true), "sharedWith": list(list(), list("Clerk")), "reviewers": func(g *draws) []any { return list(list(), g.keys("User")) },
	"policyNumber": list("P-1", "P-2"), "productLine": list("Life", nil), "submittedOn": list("2026-06-02"), "issuedOn": list("2026-06-03", nil), "placedOn": list("2026-06-04", nil), "annualPremium": list("100", "200"),
	"paidOn": list("2026-06-05"), "amount": list("10", "20"), "reference": list("R-1", nil), "expiresAt": list("2027-01-01T00:00:00Z", nil), "clientId": func(g *draws) []any { return g.keys("Client") },
	"isPublic": list(false), "redirectUris": list(list(), list("https://a.example/back")), "publicKeys": list(nil), "url": list("https://a.example/hook", "https://b.example/hook"), "events": list(list("AgentUpdated"), list("AgentCreated", "AgentUpdated")),
	"headers": list(nil, list(object{"name": "X-Key", "value": "Canary header value"})), "maxRetries": list(3, 5), "retryDelayMinutes": list(1, 2),
	"id": func(g *draws) []any { return g.ids() }, "certificationId": func(g *draws) []any { return g.idsOf("Agent", "certifications.") },
}

func list(all ...any) []any { return all }

// oneOf draws one of a list, each as likely as the others, which rapid.SampledFrom does not.
func oneOf[V any](t *rapid.T, label string, all []V) V {
	return all[rapid.Custom(func(t *rapid.T) (n int) {
		for bit := 1; bit < 4*len(all); bit *= 2 {
			if rapid.Bool().Draw(t, "bit") {
				n += bit
			}
		}
		return n % len(all)
	}).Draw(t, label)]
}

// there are the objects of a type that are there, and more that may not be.
func there(entity string, more ...any) func(g *draws) []any {
	return func(g *draws) []any { return append(g.keys(entity), more...) }
}

// usual are some that are there from the beginning, and those beyond them.
func usual(entity string, some ...any) func(g *draws) []any {
	return func(g *draws) []any {
		all := slices.Clone(some)
		for _, key := range g.keys(entity) {
			if key == "Away" || key == "Resting" {
				all = append(all, key)
			}
		}
		return all
	}
}

// missing are those that are not there, or the first if all are.
func (g *draws) missing(entity string, of ...any) []any {
	there := g.keys(entity)
	if all := slices.DeleteFunc(slices.Clone(of), func(key any) bool { return slices.Contains(there, key) }); len(all) > 0 {
		return all
	}
	return of[:1]
}

// draws draws the input of a mutation.
type draws struct {
	*rapid.T
	l        *ledger
	mutation string
}

// keys are those of the objects of a type that are there.
func (g *draws) keys(entity string) (all []any) {
	for c := range g.l.now.plain {
		if c.entity == entity && c.field == "" && (entity != "Client" || strings.HasPrefix(c.key, g.l.tenant+".")) { // its own client stays
			all = append(all, c.key)
		}
	}
	slices.SortFunc(all, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	return all
}

// idsOf are the global ids of what is there.
func (g *draws) idsOf(entity, prefix string) (all []any) {
	names := slices.SortedFunc(maps.Keys(g.l.now.ids), func(a, b cell) int { return strings.Compare(a.String(), b.String()) })
	for _, c := range names {
		if c.entity == entity && strings.HasPrefix(c.field, prefix) {
			all = append(all, g.l.now.ids[c])
		}
	}
	return all
}

// ids are those of what the mutation is about.
func (g *draws) ids() []any {
	switch {
	case strings.HasPrefix(g.mutation, "alias"):
		return g.idsOf("Agent", "aliases.")
	case strings.HasPrefix(g.mutation, "certification"):
		return g.idsOf("Agent", "certifications.")
	case strings.HasPrefix(g.mutation, "scenario"):
		return g.keys("Scenario")
	case strings.HasPrefix(g.mutation, "webhook"):
		return g.keys("WebhookSubscription")
	}
	return g.asked()
}

// stages are the statuses from which applications go on.
var stages = map[string]string{"applicationSubmit": "ACTIVE", "applicationResume": "HOLD", "applicationMarkPaid": "COMPLETE", "applicationProcess": "PAID"}

// asked asks for what no snapshot has.
func (g *draws) asked() (all []any) {
	for prefix, of := range map[string][2]string{"agencyRecipe": {"{ agencyRecipes(first: 20) { nodes { id } } }", "agencyRecipes.nodes"}, "application": {"{ applications(first: 20) { nodes { id status } } }", "applications.nodes"},
		"backgroundQuestion": {"{ backgroundQuestions { id: contentItemId } }", "backgroundQuestions"}, "apiKey": {"{ clients { keys { id } } }", "clients"}} {
		if strings.HasPrefix(g.mutation, prefix) {
			for _, node := range nodes(g.l.ask(of[0], nil, of[1])) {
				for _, one := range append(nodes(apptest.At(node, "keys")), node) {
					status, step := text(apptest.At(one, "status")), stages[g.mutation]
					if id := apptest.At(one, "id"); id != nil && (step == "" || step == status) {
						all = append(all, id)
					}
				}
			}
		}
	}
	return all
}

// input draws an object of a type; nil if there is nothing that it could be about.
func (g *draws) input(def *ast.Definition) object {
	in := object{}
	for _, f := range def.Fields {
		required := f.Type.NonNull && f.DefaultValue == nil || f.Name == "phoneNumber" || f.Name == "moves"
		if f.Name == "initiator" || !required && rapid.IntRange(0, 9).Draw(g.T, "omit "+f.Name) < 6 {
			continue
		}
		v, ok := g.value(def.Name, f.Name, f.Type)
		if !ok {
			return nil
		}
		if v == nil && f.Type.NonNull {
			continue
		}
		in[f.Name] = v
	}
	if through, _ := in["effectiveThrough"].(string); through != "" && in["effectiveFrom"] != nil && through < in["effectiveFrom"].(string) {
		delete(in, "effectiveThrough")
	}
	return in
}

// value draws a value of a field.
func (g *draws) value(input, name string, t *ast.Type) (v any, ok bool) {
	pool, ok := pools[input+"."+name]
	if !ok {
		pool, ok = pools[name]
	}
	def := g.l.schema.Types[t.Name()]
	switch {
	case ok:
		all, isList := pool.([]any)
		if !isList {
			all = pool.(func(*draws) []any)(g)
		}
		if len(all) == 0 {
			return nil, false
		}
		return oneOf(g.T, name, all), true
	case t.Elem != nil:
		var all []any
		seen := map[any]bool{}
		for range rapid.IntRange(1, 3).Draw(g.T, "how many "+name) {
			one := g.input(def)
			if def.Name == "ReorgMoveInput" && len(one) == 1 {
				one["newLevel"] = oneOf(g.T, "newLevel", list(10, 20))
			}
			if key := one["agentCode"]; key == nil || !seen[key] {
				all, seen[key] = append(all, one), true
			}
		}
		return all, true
	case def.Kind == ast.InputObject:
		if !t.NonNull && rapid.IntRange(0, 9).Draw(g.T, "clear "+name) == 9 {
			return nil, true
		}
		return g.input(def), true
	case def.Kind == ast.Enum:
		return oneOf(g.T, name, def.EnumValues).Name, true
	case def.Name == "Boolean":
		return rapid.Bool().Draw(g.T, name), true
	}
	panic(fmt.Sprintf("no values for %s.%s: add some to pools", input, name))
}

// mostAgents is how many agents an agency has, so that a page has them all.
const mostAgents = 6

// shapes make an input fit what else it says, or is about.
var shapes = map[string]func(g *draws, in object) bool{
	"agentRegister": func(g *draws, in object) bool {
		in["teams"] = list(in["teams"].([]any)[0])
		if len(g.keys("Agent")) > mostAgents {
			return false
		}
		in["startDate"] = oneOf(g.T, "start", list("2026-06-01T12:00:00Z", "2026-06-12T12:00:00Z"))
		return true
	},
	"certificationUpsert": func(g *draws, in object) bool {
		delete(in, "providerCompany")
		if in["type"] == "AML" {
			delete(in, "jurisdiction")
		} else if in["jurisdiction"] == nil {
			in["jurisdiction"] = "US-TX"
		}
		if in["effectiveFrom"] == nil {
			in["effectiveFrom"] = day(today)
			delete(in, "effectiveThrough")
		}
		return true
	},
	"applicationProcess": func(g *draws, in object) bool {
		in["agentCode"] = g.missing("Agent", "A3", "A4", "A5", "A6")[0]
		return len(g.keys("Agent")) <= mostAgents
	},
	"agentContactUpdate": func(g *draws, in object) bool { return len(in) > 1 },
	"agentUpdate":        func(g *draws, in object) bool { return len(in) > 1 },
	"scenarioUpdate": func(g *draws, in object) bool {
		in["lastModified"] = g.l.now.versions[in["id"].(string)]
		return true
	},
	"scenarioReview": func(g *draws, in object) bool {
		in["lastModified"] = g.l.now.versions[in["id"].(string)]
		return true
	},
	"scenarioApply": func(g *draws, in object) bool {
		in["versions"] = g.l.ask(`query($id: ID!) { scenario(id: $id) { evaluation { versions } } }`, object{"id": in["id"]}, "scenario.evaluation.versions")
		return true
	},
}

func init() {
	pools["ScenarioUpdateInput.lastModified"], pools["ScenarioReviewInput.lastModified"], pools["versions"] = list(""), list(""), list(list())
	pools["verdict"], pools["comment"] = list("ASKED", "COMMENTED", "APPROVED", "DECLINED"), list("Fine.", nil)
	pools["RoleCreateInput.description"], pools["ClientCreateInput.name"] = list("d"), list("bot", "job")
	pools["trustedDocuments"] = list("OFF", "LOG")
	pools["ScenarioCreateInput.name"], pools["ScenarioUpdateInput.name"] = list("plan", "other plan"), list("plan", "new plan")
	pools["isResident"] = list(true, false, nil)
	pools["dataset"], pools["definition"] = list("agents"), list(object{"columns": list(object{"field": "agentCode", "label": "Agent"}), "sort": list()}, object{"columns": list(object{"field": "lastName", "label": "Name"}), "sort": list()})
	pools["manifest"], pools["documentIds"] = list(object{"one": "{ viewer { subject } }"}), list(list("one"))
	pools["contentItemId"] = func(g *draws) []any { return append(g.asked(), nil) }
	pools["BackgroundQuestionRetireInput.contentItemId"] = func(g *draws) []any { return g.asked() }
	pools["sequence"], pools["text"], pools["helpText"], pools["choices"], pools["requiresExplanationWhen"], pools["responseType"] = list(1, 2), list("Why?", "When?"), list(nil, "Help"), list(nil), list(nil), list("TEXT", "DATE")
	pools["title"], pools["body"], pools["bodyFormat"], pools["covenants"] = list("Contract", "Agreement"), list("one", "two"), list(nil), list(list(object{"sequence": 1, "text": "I will."}))
	pools["products"], pools["defaultPayStatus"], pools["defaultAgentLevel"] = list(list()), list("Active"), list(10, 20)
	pools["emailAddress"], pools["cartId"], pools["orderId"], pools["selectedProductId"], pools["agentLevelValue"] = list("otto@acme.example", "olga@acme.example"), list(nil), list(nil, "O-1"), list(nil), list(10, nil)
	for _, flag := range []string{"TaxId", "BirthDate", "MaritalInfo", "HomeAddress", "CorrespondenceAddress", "PrimaryPhone", "LicenseInfo", "EmploymentInfo", "TaxInfo", "Contract", "PersonalHistory"} { // or applications need much
		pools["collect"+flag] = list(false)
	}
	for _, section := range []string{"homeAddress", "businessAddress", "homePhone", "cellPhone", "licenses", "employment", "w9", "background", "contract", "spouse"} { // nothing of an application is taken back
		pools["ApplicationCreateInput."+section], pools["ApplicationUpdateInput."+section], pools["ApplicationReplaceInput."+section] = list(nil), list(nil), list(nil)
	}
	pools["notes"], pools["approved"], pools["payStatus"] = list("seen"), list(true, false), list("Active")
	pools["ApplicationProcessInput.agentCode"] = pools["AgentRegisterInput.agentCode"]
}

// columns are those of imported files; the values are those of fields.
var columns = map[string][]string{
	"AGENT":              {"agentCode", "firstName", "lastName", "status", "startDate", "teams.default.level", "teams.default.directUpline", "email", "homeAddress.city", "cellPhone.phoneNumber"},
	"CERTIFICATION":      {"agentCode", "type", "jurisdiction", "identifier", "note", "status", "effectiveFrom", "effectiveThrough"},
	"UPLINE_PERIOD":      {"agentCode", "uplineAgentCode", "effectiveFrom", "effectiveThrough"},
	"LEVEL_PERIOD":       {"agentCode", "level", "effectiveFrom", "effectiveThrough"},
	"PAY_STATUS_PERIOD":  {"agentCode", "status", "effectiveFrom", "effectiveThrough"},
	"PAY_STATUS":         {"name", "description", "isActive", "sortOrder"},
	"AGENT_LEVEL":        {"value", "name", "description"},
	"CERTIFICATION_TYPE": {"code", "name", "description"},
	"JURISDICTION":       {"code", "name", "kind"},
	"PROVIDER_COMPANY":   {"code", "name", "naicCode"},
	"TAG":                {"name", "description", "color"},
	"PRODUCT":            {"code", "name", "description"},
	"PRODUCT_RULE":       {"product", "rule", "certificationTypes", "minimumLevel", "effectiveFrom", "effectiveThrough"},
	"PRODUCTION_RECORD":  {"agentCode", "providerCompany", "policyNumber", "submittedOn", "annualPremium"},
	"COMMISSION_PAYMENT": {"agentCode", "paidOn", "amount", "reference"},
}

// entities are those that can be imported.
var entities = slices.Sorted(maps.Keys(columns))

// cellsOf are values of columns whose pools are those of an input.
var cellsOf = map[string]string{
	"CERTIFICATION.status": "CertificationUpsertInput.status", "PAY_STATUS.name": "PayStatusCreateInput.name", "AGENT_LEVEL.value": "AgentLevelCreateInput.value", "CERTIFICATION_TYPE.code": "CertificationTypeCreateInput.code",
	"JURISDICTION.code": "JurisdictionCreateInput.code", "PROVIDER_COMPANY.code": "ProviderCompanyUpsertInput.code", "TAG.name": "TagCreateInput.name", "PRODUCT.code": "ProductCreateInput.code",
	"PRODUCTION_RECORD.agentCode": "ProductionRecordUpsertInput.agentCode", "COMMISSION_PAYMENT.agentCode": "CommissionPaymentRecordInput.agentCode", "PRODUCTION_RECORD.providerCompany": "ProductionRecordUpsertInput.providerCompany", "CERTIFICATION.identifier": "CertificationUpsertInput.identifier",
}

// rows draws a file of an entity: each key once.
func (g *draws) rows(entity string) (all []object) {
	seen := map[string]bool{}
	for range rapid.IntRange(1, 3).Draw(g.T, "rows") {
		row := object{}
		for _, column := range columns[entity] {
			name := column[strings.LastIndex(column, ".")+1:]
			pool, ok := pools[cellsOf[entity+"."+column]]
			if !ok {
				pool, ok = pools[name]
			}
			values, isList := pool.([]any)
			if !isList && ok {
				values = pool.(func(*draws) []any)(g)
			} else if !ok {
				values = list("true", "false")
			}
			if len(values) == 0 {
				return nil
			}
			if v := oneOf(g.T, column, values); v != nil {
				row[column] = v
			}
		}
		if from, through := text(row["effectiveFrom"]), text(row["effectiveThrough"]); through != "" && through < from {
			delete(row, "effectiveThrough")
		}
		if entity == "CERTIFICATION" && row["type"] == "AML" {
			delete(row, "jurisdiction")
		}
		key := fmt.Sprint(row[columns[entity][0]])
		if entity == "PRODUCT_RULE" || entity == "CERTIFICATION" {
			key += fmt.Sprint(row["rule"], row["type"], row["jurisdiction"], row["identifier"])
		}
		if !seen[key] {
			all, seen[key] = append(all, row), true
		}
	}
	return all
}

// file writes rows as lines of JSON.
func file(rows []object) string {
	var b strings.Builder
	for _, row := range rows {
		line, err := json.Marshal(row)
		if err != nil {
			panic(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// spans are the days for which a write states a value.
func (w *write) spans(was *snapshot) (all []span) {
	in := w.input
	code := text(in["agentCode"])
	agent := func(field string, of object) {
		from, through := today, days-1
		if of["effectiveFrom"] != nil {
			from = dayOf(text(of["effectiveFrom"]))
		}
		if of["effectiveThrough"] != nil {
			through = min(dayOf(text(of["effectiveThrough"])), days-1)
		}
		all = append(all, span{cell{"Agent", text(of["agentCode"]), field}, from, through})
	}
	moves := func(moves []any, from any) {
		for _, m := range moves {
			for name, field := range map[string]string{"newLevel": levels, "newPayStatus": statuses, "newUplineAgentCode": uplines} {
				move := m.(object)
				if _, said := move[name]; said && (move[name] != nil || name == "newUplineAgentCode") {
					agent(field, object{"agentCode": move["agentCode"], "effectiveFrom": from})
				}
			}
		}
	}
	certification := func(of object) {
		for c, id := range was.ids {
			if id == of["id"] || id == of["certificationId"] {
				agent(c.field+".status", object{"agentCode": c.key, "effectiveFrom": of["effectiveFrom"], "effectiveThrough": of["effectiveThrough"]})
			}
		}
	}
	matching := func(of object) {
		for c := range was.ids {
			if strings.HasPrefix(c.field, "certifications.") && c.key == of["agentCode"] && was.plain[c] == of["type"] && was.plain[cell{"Agent", c.key, "~" + c.field + ".jurisdiction"}] == text(of["jurisdiction"]) &&
				was.plain[cell{"Agent", c.key, "~" + c.field + ".identifier"}] == text(of["identifier"]) {
				agent(c.field+".status", of)
			}
		}
	}
	rule := func(of object) {
		agent("", of)
		all[len(all)-1].cell = cell{"Product", text(of["product"]), "rules." + text(of["rule"])}
	}
	switch w.mutation {
	case "payStatusPeriodApply":
		agent(statuses, in)
	case "levelPeriodApply":
		agent(levels, in)
	case "uplinePeriodApply":
		agent(uplines, in)
	case "w9PeriodApply":
		agent("w9", in)
	case "agentPayeeUpdate":
		agent(statuses, object{"agentCode": code})
		agent("w9", object{"agentCode": code})
	case "agentMembershipUpdate":
		agent(levels, object{"agentCode": code})
		agent(uplines, object{"agentCode": code})
	case "certificationUpdate", "certificationPeriodApply":
		certification(in)
	case "certificationUpsert":
		matching(in)
	case "productRuleApply":
		rule(in)
	case "reorgApply":
		moves(in["moves"].([]any), in["effectiveFrom"])
	case "scenarioApply":
		var of []any
		if err := json.Unmarshal([]byte("["+was.plain[cell{"Scenario", text(in["id"]), "moves"}]+"]"), &of); err != nil {
			panic(err)
		}
		for _, m := range of {
			move := m.(object)
			for name, v := range move {
				if v == nil && (name != "newUplineAgentCode" || move["isNewRoot"] != true) {
					delete(move, name)
				}
			}
		}
		moves(of, was.plain[cell{"Scenario", text(in["id"]), "effectiveFrom"}])
	case "bulkImport":
		for _, row := range w.rows {
			switch in["entity"] {
			case "PAY_STATUS_PERIOD":
				agent(statuses, row)
			case "LEVEL_PERIOD":
				agent(levels, row)
			case "UPLINE_PERIOD":
				agent(uplines, row)
			case "CERTIFICATION":
				matching(row)
			case "PRODUCT_RULE":
				rule(row)
			}
		}
	}
	return all
}

// The paths of dated fields of an agent.
const statuses, levels, uplines = "status", "teams.default.level", "teams.default.directUpline"
