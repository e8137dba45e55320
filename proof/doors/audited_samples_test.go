package doors_test

// auditedSamples has one of every mutation, in an order in which all are
// possible. The agent S1 is registered under U1.
var auditedSamples = []audited{
	{mutation: "certificationTypeCreate", arguments: input("code", "TEST", "name", "Test", "category", "LICENSE", "requiresJurisdiction", false, "requiresProviderCompany", false),
		wrong: object{"name": " "}, entity: "CertificationType", keys: []string{"TEST"}, method: "POST", path: "/certification-types"},
	{mutation: "certificationTypeUpdate", arguments: with(input("name", "Test 2", "isEnabled", true), "code", "TEST"), wrong: object{"name": nil},
		entity: "CertificationType", keys: []string{"TEST"}, fields: []string{"name"}, method: "PATCH", path: "/certification-types/{code}"},
	{mutation: "jurisdictionCreate", arguments: input("code", "XX-AA", "name", "Test", "country", "XX"), wrong: object{"name": " "}, renamed: [2]string{"code", "id"},
		entity: "Jurisdiction", keys: []string{"XX-AA"}, method: "POST", path: "/jurisdictions"},
	{mutation: "jurisdictionUpdate", arguments: with(input("name", "Test 2", "country", "XX"), "code", "XX-AA"), wrong: object{"name": nil},
		entity: "Jurisdiction", keys: []string{"XX-AA"}, fields: []string{"name"}, method: "PATCH", path: "/jurisdictions/{code}"},
	{mutation: "payStatusCreate", arguments: input("name", "Resting", "isActive", true), wrong: object{"name": " "},
		entity: "PayStatus", keys: []string{"Resting"}, method: "POST", path: "/pay-statuses"},
	{mutation: "payStatusUpdate", arguments: with(input("description", "Not now", "isActive", false), "name", "Resting"), wrong: object{"isActive": nil},
		entity: "PayStatus", keys: []string{"Resting"}, fields: []string{"description", "isActive"}, method: "PATCH", path: "/pay-statuses/{name}"},
	{mutation: "agentLevelCreate", arguments: input("value", 777, "name", "Test"), wrong: object{"name": " "},
		entity: "AgentLevel", keys: []string{"777"}, method: "POST", path: "/teams/default/agent-levels"},
	{mutation: "agentLevelUpdate", arguments: with(input("isEnabled", false), "value", 777), wrong: object{"name": nil},
		entity: "AgentLevel", keys: []string{"777"}, fields: []string{"isEnabled"}, method: "PATCH", path: "/teams/default/agent-levels/{value}"},
	{mutation: "providerCompanyUpsert", arguments: input("code", "ACO", "name", "A Co"), wrong: object{"name": nil}, entity: "ProviderCompany", keys: []string{"ACO"}},
	{mutation: "productionRecordUpsert", arguments: input("agentCode", "U1", "providerCompany", "ACO", "policyNumber", "P-1", "submittedOn", "2026-06-01", "annualPremium", "1200.00"),
		wrong: object{"annualPremium": "-1"}, entity: "ProductionRecord", keys: []string{"U1/ACO/P-1"}, fields: []string{"productLine", "submittedOn", "issuedOn", "placedOn", "annualPremium"}},
	{mutation: "commissionPaymentRecord", arguments: input("agentCode", "U1", "paidOn", "2026-06-01", "amount", "120"), wrong: object{"amount": "0"},
		entity: "CommissionPayment", keys: []string{"U1/2026-06-01"}, fields: []string{"amount", "reference"}},
	{mutation: "tagCreate", arguments: input("name", "Star", "color", "#112233"), wrong: object{"color": "red"},
		entity: "Tag", keys: []string{"Star"}, method: "POST", path: "/tags"},
	{mutation: "tagUpdate", arguments: with(input("description", "Shines"), "name", "Star"), wrong: object{"color": "red"},
		entity: "Tag", keys: []string{"Star"}, fields: []string{"description"}, method: "PATCH", path: "/tags/{name}"},
	{mutation: "productCreate", arguments: input("code", "TERM", "name", "Term life"), wrong: object{"name": " "}, entity: "Product", keys: []string{"TERM"}},
	{mutation: "productUpdate", arguments: with(input("description", "For a time", "isWatched", true), "code", "TERM"), wrong: object{"isWatched": nil},
		entity: "Product", keys: []string{"TERM"}, fields: []string{"description", "isWatched"}},
	{mutation: "productRuleApply", arguments: input("product", "TERM", "rule", "Active", "requiresActiveStatus", true, "effectiveFrom", "2026-01-01"), wrong: object{"certificationTypes": []any{"NONE"}},
		entity: "Product", keys: []string{"TERM"}, fields: []string{"rules"}},
	{mutation: "productDelete", arguments: input("code", "WHOLE"), wrong: object{"code": "TERM"}, entity: "Product", keys: []string{"WHOLE"}},

	{mutation: "agentRegister", arguments: input("agentCode", "S1", "firstName", "Ann", "lastName", "Lee", "status", "Active", "startDate", "2026-01-01T12:00:00Z",
		"teams", []any{object{"membership": object{"level": 10, "directUpline": "U1"}}}, "governmentIdentifier", "523-45-6781", "homeAddress", object{"city": "Austin"},
		"w9", object{"name": "Ann", "taxClassification": "INDIVIDUAL", "taxpayerIdentifier": "523-45-6781"}, "directDeposit", auditedDeposit("123456789")),
		wrong: object{"status": "No such status"}, entity: agentType, keys: []string{"S1"}, method: "POST", path: "/agents",
		fields: []string{"agentCode", "firstName", "lastName", "status", "startDate", "teams.default.directUpline", "teams.default.level", "homeAddress.city", "governmentIdentifier#", "w9.name", "w9.taxClassification", "w9.taxpayerIdentifier#", "directDeposit.country", "directDeposit.accountHolderName",
			"directDeposit.accountType", "directDeposit.routingNumber#", "directDeposit.accountNumber#"}},
	{mutation: "agentUpdate", arguments: ofS1("firstName", "Bea", "lastName", "Lee", "email", "bea@acme.example", "governmentIdentifier", "523-45-6789"),
		wrong: object{"firstName": nil}, entity: agentType, keys: []string{"S1"}, fields: []string{"firstName", "email", "governmentIdentifier#"}, method: "PATCH", path: "/agents/{agentCode}"},
	{mutation: "agentContactUpdate", arguments: ofS1("homeAddress", object{"city": "Austin", "line1": "1 Elm"}, "cellPhone", object{"phoneNumber": "5551234"}),
		wrong: object{"homeAddress": object{"jurisdiction": "XX-ZZ"}}, entity: agentType, keys: []string{"S1"}, fields: []string{"homeAddress.line1", "cellPhone.phoneNumber", "cellPhone.countryCode"},
		method: "PATCH", path: "/agents/{agentCode}/contact"},
	{mutation: "agentMembershipUpdate", arguments: ofS1("membership", object{"level": 20, "directUpline": "U1"}), wrong: object{"membership": object{"level": 778}},
		entity: agentType, keys: []string{"S1"}, fields: []string{"teams.default.level"}, method: "PATCH", path: "/teams/default/members/{agentCode}"},
	{mutation: "agentPayeeUpdate", arguments: ofS1("status", "Suspended", "w9", object{"name": "Bea", "signature": "Bea"}, "directDeposit", auditedDeposit("123456780")),
		wrong: object{"status": "No such status"}, entity: agentType, keys: []string{"S1"},
		fields: []string{"status", "w9.name", "w9.signature#", "directDeposit.accountNumber#"}, method: "PATCH", path: "/agents/{agentCode}/payee"},
	{mutation: "agentTagsUpdate", arguments: ofS1("tags", []any{object{"operation": "ASSIGN", "tag": "Star"}}), wrong: object{"tags": []any{object{"operation": "ASSIGN", "tag": "Moon"}}},
		entity: agentType, keys: []string{"S1"}, fields: []string{"tags"}, method: "PATCH", path: "/agents/{agentCode}/tags"},
	{mutation: "payStatusPeriodApply", arguments: input("agentCode", "S1", "status", "Terminated", "effectiveFrom", "2026-08-01"), wrong: object{"agentCode": "NONE"},
		entity: agentType, keys: []string{"S1"}, fields: []string{"status"}, method: "POST", path: "/payees/assigned-statuses"},
	{mutation: "w9PeriodApply", arguments: input("agentCode", "S1", "effectiveFrom", "2026-08-01", "w9", object{"name": "Bea", "taxClassification": "LLC_S", "taxpayerIdentifier": "52-3456781"}),
		wrong: object{"effectiveFrom": "2020-01-01", "effectiveThrough": "2019-01-01"}, entity: agentType, keys: []string{"S1"}, fields: []string{"w9.signature", "w9.taxClassification", "w9.taxpayerIdentifier#"}, method: "POST", path: "/payees/w9s"},
	{mutation: "uplinePeriodApply", arguments: input("agentCode", "S1", "uplineAgentCode", nil, "effectiveFrom", "2026-08-01"), wrong: object{"uplineAgentCode": "S1"},
		entity: agentType, keys: []string{"S1"}, fields: []string{"teams.default.directUpline"}, method: "POST", path: "/teams/default/assigned-uplines"},
	{mutation: "levelPeriodApply", arguments: input("agentCode", "S1", "level", 30, "effectiveFrom", "2026-08-01"), wrong: object{"level": 778},
		entity: agentType, keys: []string{"S1"}, fields: []string{"teams.default.level"}, method: "POST", path: "/teams/default/assigned-levels"},
	{mutation: "reorgApply", arguments: input("effectiveFrom", "2026-09-01", "moves", []any{object{"agentCode": "S1", "newUplineAgentCode": "U1", "newLevel": 10}, object{"agentCode": "U2", "newUplineAgentCode": "S1"}}),
		wrong:  object{"moves": []any{object{"agentCode": "S1", "newUplineAgentCode": "S1"}}},
		entity: agentType, more: []changedIn{{[]string{"S1"}, []string{"teams.default.directUpline", "teams.default.level"}}},
		keys: []string{"U2"}, fields: []string{"teams.default.directUpline"}},
	{mutation: "aliasCreate", arguments: ofS1("identifier", "W-1", "providerCompany", "ACO"), wrong: object{"providerCompany": "NONE"},
		entity: agentType, keys: []string{"S1"}, fields: []string{"aliases"}, method: "POST", path: "/agents/{agentCode}/aliases"},
	{mutation: "aliasDelete", arguments: input("id", "#alias"), wrong: object{"id": "4711"},
		entity: agentType, keys: []string{"S1"}, fields: []string{"aliases"}, method: "DELETE", path: "/aliases/{id}"},
	{mutation: "certificationUpsert", arguments: input("agentCode", "S1", "type", "TEST", "isResidentCertification", true, "isVerified", true, "status", "ACTIVE", "effectiveFrom", "2026-05-01"),
		wrong: object{"type": "NONE"}, entity: agentType, keys: []string{"S1"}, fields: []string{"certifications.*"}, method: "POST", path: "/certifications"},
	{mutation: "certificationUpdate", arguments: with(input("note", "Seen", "status", "HELD"), "id", "#certification"), wrong: object{"isVerified": nil},
		entity: agentType, keys: []string{"S1"}, fields: []string{"certifications.*.note", "certifications.*.status"}, method: "PATCH", path: "/certifications/{id}"},
	{mutation: "certificationPeriodApply", arguments: with(input("status", "EXPIRED", "effectiveFrom", "2026-09-01"), "certificationId", "#certification"),
		wrong:  object{"effectiveFrom": "2020-01-01", "effectiveThrough": "2019-01-01"},
		entity: agentType, keys: []string{"S1"}, fields: []string{"certifications.*.status"}, method: "POST", path: "/certifications/{certificationId}/history"},
	{mutation: "certificationDelete", arguments: input("id", "#certification"), wrong: object{"id": "4711"},
		entity: agentType, keys: []string{"S1"}, fields: []string{"certifications.*"}, method: "DELETE", path: "/certifications/{id}"},
	{mutation: "agentDelete", arguments: input("agentCode", "S1", "newUplineAgentCode", "U1"), wrong: object{"newUplineAgentCode": "NONE"},
		entity: agentType, more: []changedIn{{[]string{"U2"}, []string{"teams.default.directUpline"}}}, keys: []string{"S1"}, method: "DELETE", path: "/agents/{agentCode}"},

	{mutation: "tagDelete", arguments: input("name", "Star"), wrong: object{"name": "Moon"}, entity: "Tag", keys: []string{"Star"}, method: "DELETE", path: "/tags/{name}"},
	{mutation: "agentLevelDelete", arguments: input("value", 777), wrong: object{"value": 30}, entity: "AgentLevel", keys: []string{"777"},
		method: "DELETE", path: "/teams/default/agent-levels/{value}"},
	{mutation: "payStatusDelete", arguments: input("name", "Resting"), wrong: object{"name": "Active"}, entity: "PayStatus", keys: []string{"Resting"},
		method: "DELETE", path: "/pay-statuses/{name}"},
	{mutation: "jurisdictionDelete", arguments: input("code", "XX-AA"), wrong: object{"code": "XX-ZZ"}, entity: "Jurisdiction", keys: []string{"XX-AA"},
		method: "DELETE", path: "/jurisdictions/{code}"},
	{mutation: "certificationTypeDelete", arguments: input("code", "TEST"), wrong: object{"code": "NONE"}, entity: "CertificationType", keys: []string{"TEST"},
		method: "DELETE", path: "/certification-types/{code}"},
}

const agentType = "Agent"

// aProduct is a mutation that makes a product, which a sample deletes.
const aProduct = `mutation { productCreate(input: {code: "WHOLE", name: "Whole life"}) { applied } }`

// input returns the argument input with fields: name, value, ….
func input(fields ...any) object { return object{"input": with(object{"initiator": "hr"}, fields...)} }

// ofS1 is input of a mutation that names the agent.
func ofS1(fields ...any) object { return with(input(fields...), "agentCode", "S1") }

// with adds fields to an object, or to the input in it.
func with(o object, fields ...any) object {
	into := o
	if input, ok := o["input"].(object); ok {
		into = input
	}
	for i := 0; i < len(fields); i += 2 {
		into[fields[i].(string)] = fields[i+1]
	}
	return o
}

func auditedDeposit(account string) object {
	return object{"country": "US", "accountHolderName": "Ann", "accountType": "CHECKING", "routingNumber": "021000021", "accountNumber": account}
}
