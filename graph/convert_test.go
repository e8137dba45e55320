package graph_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// whole is a registration that sets every property.
func whole() object {
	address := func(jurisdiction string) object {
		return object{"line1": "1 Main St", "line2": "Apt 2", "city": "Town " + jurisdiction, "jurisdiction": jurisdiction, "postalCode": "78701", "country": "US"}
	}
	phone := func(number string) object {
		return object{"countryCode": "44", "areaCode": "20", "phoneNumber": number}
	}
	return object{"agentCode": "A1", "firstName": "Ana", "middleName": "Maria", "lastName": "Diaz", "commonName": "Annie", "suffix": "Sr.", "status": "Active",
		"teams": list(object{"team": "default", "membership": object{"directUpline": "TOP", "level": 20}}), "startDate": "2024-02-01T08:30:00+02:00",
		"governmentIdentifier": "123-45-6789", "birthDate": "1980-05-04", "gender": "Female", "email": "ana@example.com", "npn": "18998877",
		"customerId": "C-7", "isDedicated": true, "homeAddress": address("US-TX"), "businessAddress": address("US-NY"),
		"cellPhone": phone("1"), "homePhone": phone("2"), "businessPhone": phone("3"), "fax": phone("4"), "initiator": "hr",
		"w9": object{"name": "Ana Diaz", "businessName": "Diaz LLC", "taxClassification": "LLC_S", "exemptPayee": "5", "accountNumber": "AC-1",
			"taxpayerIdentifier": "12-3456789", "signature": "Ana Diaz", "signatureDate": "2024-01-31",
			"address": object{"streetAddress": "2 Main St", "city": "Austin", "state": "TX", "zipCode": "78702"}},
		"directDeposit": object{"country": "US", "accountHolderName": "Ana Diaz", "bankName": "First Bank", "accountType": "CHECKING",
			"routingNumber": "021000021", "accountNumber": "12345678", "institutionNumber": nil, "transitNumber": nil}}
}

const shown = `{ agent(agentCode: "A1") { agentCode firstName middleName lastName commonName suffix displayName status: payStatus { name } membership { level { value } directUpline { agentCode } } startDate
	governmentIdentifier(reveal: true) birthDate gender email npn customerId isDedicated
	homeAddress { ...a } businessAddress { ...a } cellPhone { ...p } homePhone { ...p } businessPhone { ...p } fax { ...p } createdBy lastModifiedBy
	payee { w9 { name businessName taxClassification exemptPayee accountNumber(reveal: true) taxpayerIdentifier(reveal: true) signature(reveal: true)
			signatureDate address { streetAddress city state zipCode } }
		directDeposit { country accountHolderName bankName accountType routingNumber(reveal: true) accountNumber(reveal: true)
			institutionNumber(reveal: true) transitNumber(reveal: true) } } } }
	fragment a on Address { line1 line2 city jurisdiction { code } postalCode country } fragment p on Phone { countryCode areaCode phoneNumber }`

// Every property of a registration is read again as it was given.
func TestEveryPropertyOfARegistration(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "TOP", "", "2024-01-01")
		in := whole()
		for _, f := range w.Graph.Schema().Types["AgentRegisterInput"].Fields {
			if _, ok := in[f.Name]; !ok && f.Name != "reason" {
				t.Errorf("%s is not set", f.Name)
			}
		}
		succeed(t, c, register, object{"input": in})
		agent := apptest.At(c.Query(t, shown, nil), "agent").(object)
		address := func(jurisdiction string) object {
			return object{"line1": "1 Main St", "line2": "Apt 2", "city": "Town " + jurisdiction, "jurisdiction": object{"code": jurisdiction}, "postalCode": "78701", "country": "US"}
		}
		want := maps.Clone(in)
		maps.Copy(want, object{"displayName": "Annie Diaz", "status": object{"name": "Active"}, "startDate": "2024-02-01T06:30:00Z",
			"membership":  object{"level": object{"value": number("20")}, "directUpline": object{"agentCode": "TOP"}},
			"homeAddress": address("US-TX"), "businessAddress": address("US-NY"), "createdBy": "hr", "lastModifiedBy": "hr"})
		want["payee"] = object{"w9": in["w9"], "directDeposit": in["directDeposit"]}
		for _, name := range []string{"teams", "initiator", "w9", "directDeposit"} {
			delete(want, name)
		}
		equal(t, "read", agent, want)
	})
}

// Every property of an update is kept when it is omitted, replaced when it is
// set, and cleared when it is null and may be.
func TestEveryPropertyOfAnUpdate(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "TOP", "", "2024-01-01")
		succeed(t, c, register, object{"input": whole()})
		read := func() object { return apptest.At(c.Query(t, shown, nil), "agent").(object) }
		const update = `mutation($input: AgentUpdateInput!) { agentUpdate(input: $input) { applied userErrors { code field } } }`
		required := []string{"firstName", "lastName", "startDate"}
		values := object{"firstName": "Eva", "middleName": "M", "lastName": "Kay", "commonName": "Evie", "suffix": "Jr.", "email": "eva@example.com", "npn": "1", "customerId": "2",
			"governmentIdentifier": "987-65-4321", "birthDate": "1981-01-01", "gender": "Male", "isDedicated": false, "startDate": "2023-01-01T00:00:00Z"}
		for _, f := range w.Graph.Schema().Types["AgentUpdateInput"].Fields {
			if slices.Contains([]string{"agentCode", "initiator", "reason"}, f.Name) {
				continue
			}
			before := read()
			succeed(t, c, update, object{"input": object{"agentCode": "A1", f.Name: values[f.Name], "initiator": "edit"}})
			want := maps.Clone(before)
			maps.Copy(want, object{f.Name: values[f.Name], "lastModifiedBy": "edit"})
			after := read()
			delete(want, "displayName")
			delete(after, "displayName")
			equal(t, f.Name+" set, all others omitted", after, want)

			data := c.Query(t, update, object{"input": object{"agentCode": "A1", f.Name: nil, "initiator": "edit"}})
			switch {
			case slices.Contains(required, f.Name):
				equal(t, f.Name+": null", apptest.At(data, "agentUpdate.userErrors.0"), object{"code": "NULL_NOT_ALLOWED", "field": list("input", f.Name)})
			case f.Name == "isDedicated":
				equal(t, f.Name+": null means false", read()[f.Name], false)
			default:
				equal(t, f.Name+": null", read()[f.Name], nil)
			}
			succeed(t, c, update, object{"input": object{"agentCode": "A1", f.Name: before[f.Name], "initiator": "hr"}})
		}
	})
}

// Every filter of agents reaches the area: each finds A1 alone, and with
// another value does not.
func TestEveryFilterOfAgents(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "TOP", "", "2024-01-01")
		succeed(t, c, applyStatus, object{"input": object{"agentCode": "TOP", "status": "Suspended", "effectiveFrom": "2024-01-01", "initiator": "x"}})
		succeed(t, c, `mutation { certificationUpsert(input: {agentCode: "TOP", type: "EO", isResidentCertification: false, isVerified: false, effectiveFrom: "2025-01-01", initiator: "x"}) { userErrors { code } } }`, nil)
		w.Clock.Move(3600e9)
		succeed(t, c, register, object{"input": whole()})
		succeed(t, c, `mutation { gold: tagCreate(input: {name: "Gold", initiator: "x"}) { userErrors { code } } blue: tagCreate(input: {name: "Blue", initiator: "x"}) { userErrors { code } }
			agentTagsUpdate(input: {agentCode: "A1", tags: [{operation: ASSIGN, tag: "Gold"}], initiator: "x"}) { userErrors { code } }
			certificationUpsert(input: {agentCode: "A1", type: "AML", isResidentCertification: false, isVerified: false, effectiveFrom: "2025-01-01", initiator: "x"}) { userErrors { code } } }`, nil)
		filters := map[string][2]any{
			"agentCodes": {list("A1"), list("B1")}, "isActive": {true, false}, "email": {"ANA@example.com", "an@example.com"}, "firstName": {"an", "aa"},
			"lastName": {"DIA", "iaz"}, "jurisdiction": {"US-NY", "US-CA"}, "governmentIdentifier": {"123456789", "123456780"}, "npn": {"18998877", "1"},
			"modifiedSince": {"2026-06-15T13:00:00Z", "2026-06-15T13:00:01Z"}, "payStatus": {list("Active"), list("Retired")}, "uplineAgentCode": {"TOP", "A1"},
			"query":            {"dia AN", "aa"},
			"homeJurisdiction": {"US-TX", "US-NY"}, "level": {list(20), list(10)}, "tag": {list("Gold"), list("Blue")}, "downlineOf": {"TOP", "A1"},
			"holds": {object{"type": "AML"}, object{"type": "LIFE"}}, "lacks": {object{"type": "EO"}, object{"type": "AML"}},
			"or": {list(object{"npn": "18998877"}), list(object{"npn": "1"})}, "not": {object{"agentCodes": list("TOP")}, object{"agentCodes": list("A1")}},
		}
		for _, f := range w.Graph.Schema().Types["AgentFilter"].Fields {
			values, ok := filters[f.Name]
			if !ok {
				t.Errorf("%s is not tested", f.Name)
			}
			for i, want := range []bool{true, false} {
				data := c.Query(t, `query($f: AgentFilter) { agents(filter: $f) { nodes { agentCode } totalCount } }`, object{"f": object{f.Name: values[i]}})
				found := apptest.Each(data, "agents.nodes", "agentCode")
				equal(t, f.Name, slices.Contains(found, any("A1")), want)
				if want {
					equal(t, f.Name+" finds no other", len(found), 1)
				}
			}
		}
	})
}
