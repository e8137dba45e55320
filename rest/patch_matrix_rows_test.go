package rest_test

import (
	"encoding/json"
)

// patched is a PATCH path of the matrix.
type patched struct {
	path string
	// read is where the record is read, alone or in a list.
	read string
	// moves are the properties of the record that other ones move.
	moves []string
	// set holds a value other than the record's for each property, by its path;
	// of a key the record's own, since keys never change.
	set object
	// refusesNull are the properties that cannot be cleared, whenCleared what
	// others become by null that do not become null.
	refusesNull []string
	whenCleared object
	// shown is where a property is in the record, when its path is another.
	shown map[string]string
	// whole are objects that are replaced as a whole.
	whole []string
	// hidden are properties that no record shows.
	hidden []string
	// base is that of the paths, and scopes those that they need, where they are
	// not of Agency Management; bodies of other APIs have no initiator.
	base   string
	scopes []string
}

var (
	matrixAddress = object{"line1": "9 Oak", "line2": "B", "city": "Tulsa", "jurisdiction": "US-OK", "postalCode": "74103", "country": "CA"}
	matrixW9      = object{"name": "Bea", "businessName": "Bea & Co", "taxClassification": "LlcS", "exemptPayee": "7", "accountNumber": "X-9",
		"taxpayerIdentifier": "900-00-1111", "signature": "B", "signatureDate": "2026-02-02",
		"address.streetAddress": "9 Oak", "address.city": "Tulsa", "address.state": "OK", "address.zipCode": "74103"}
)

// patches are the PATCH paths, by the id of their operation.
var patches = map[string]patched{
	"agentUpdate": {path: "/agents/A1", read: "/agents/A1", set: object{
		"firstName": "Bea", "middleName": "M", "lastName": "Doe", "commonName": "B", "suffix": "Jr.", "email": "b@example.com", "npn": "9", "customerId": "C9",
		"governmentIdentifier": "900-00-2222", "birthDate": "1990-01-02", "gender": "F", "isDedicated": true, "startDate": "2020-02-03T00:00:00Z",
	}, refusesNull: []string{"firstName", "lastName", "startDate"}, whenCleared: object{"isDedicated": false}},
	"agentContactUpdate": {path: "/agents/A1/contact", read: "/agents/A1", set: contactMatrix(),
		refusesNull: []string{"cellPhone.phoneNumber", "homePhone.phoneNumber", "businessPhone.phoneNumber", "fax.phoneNumber"},
		whenCleared: object{"cellPhone.countryCode": "1", "homePhone.countryCode": "1", "businessPhone.countryCode": "1", "fax.countryCode": "1"}},
	"agentPayeeUpdate": {path: "/agents/A1/payee", read: "/agents/A1", moves: []string{"isActive"}, set: payeeMatrix(),
		refusesNull: []string{"status", "w9.name", "w9.taxClassification"}, whole: []string{"directDeposit"}},
	"agentMembershipUpdate": {path: "/teams/default/members/A1", read: "/agents/A1",
		set:         object{"membership.directUpline": "A0", "membership.level": json.Number("20")},
		refusesNull: []string{"membership", "membership.level"},
		shown:       map[string]string{"membership.directUpline": "teams.default.directUpline", "membership.level": "teams.default.level"}},
	"agentTagsUpdate": {path: "/agents/A1/tags", read: "/agents/A1", set: object{}, refusesNull: []string{"tags"}},
	"certificationUpdate": {path: "/certifications/{id}", read: "/certifications/{id}", moves: []string{"effectiveFrom", "effectiveThrough"},
		set:         object{"isResidentCertification": true, "isVerified": true, "note": "seen", "status": "Suspended"},
		refusesNull: []string{"status", "isResidentCertification", "isVerified"}},
	"agentLevelUpdate": {path: "/teams/default/agent-levels/10", read: "/teams/default/agent-levels/10",
		set: object{"value": json.Number("10"), "name": "Ten", "description": "d", "isEnabled": false}, refusesNull: []string{"value", "name", "isEnabled"}},
	"certificationTypeUpdate": {path: "/certification-types/AML", read: "/certification-types?pageSize=100", set: object{"code": "AML", "name": "N", "description": "d",
		"category": "Other", "requiresJurisdiction": true, "requiresProviderCompany": true, "isEnabled": false},
		refusesNull: []string{"code", "name", "category", "requiresJurisdiction", "requiresProviderCompany", "isEnabled"}},
	"jurisdictionUpdate": {path: "/jurisdictions/US-TX", read: "/jurisdictions/US-TX", set: object{"id": "US-TX", "name": "N", "country": "US", "kind": "Territory", "isEnabled": false},
		refusesNull: []string{"id", "name", "country", "kind", "isEnabled"}},
	"payStatusUpdate": {path: "/pay-statuses/Active", read: "/pay-statuses/Active", set: object{"name": "Active", "description": "d", "isActive": false, "canBePaid": false, "sortOrder": json.Number("77")},
		refusesNull: []string{"name", "isActive", "canBePaid", "sortOrder"}},
	"userUpdate": {path: "/users/ana", read: "/users/ana", base: "/identity-management/{tenant}", scopes: []string{"read:users", "write:users"},
		set: object{"password": "Cedar-window-402", "email": "b@example.com", "agentCode": "A0", "status": "Pending"}, hidden: []string{"password"},
		refusesNull: []string{"password", "status"}, whenCleared: object{"roles": []any{}}},
	"tagUpdate": {path: "/tags/Veteran", read: "/tags/Veteran", set: object{"name": "Veteran", "description": "d", "color": "#123456"}, refusesNull: []string{"name"}},
}

func contactMatrix() object {
	set := object{}
	for _, kind := range []string{"homeAddress", "businessAddress"} {
		for name, value := range matrixAddress {
			set[kind+"."+name] = value
		}
	}
	for _, kind := range []string{"cellPhone", "homePhone", "businessPhone", "fax"} {
		set[kind+".countryCode"], set[kind+".areaCode"], set[kind+".phoneNumber"] = "52", "55", "5550777"
	}
	return set
}

func payeeMatrix() object {
	set := object{"status": "Suspended", "directDeposit": object{"country": "CA", "accountHolderName": "Bea", "bankName": "North", "accountType": "Savings",
		"institutionNumber": "003", "transitNumber": "00012", "accountNumber": "7654321"}}
	for name, value := range matrixW9 {
		set["w9."+name] = value
	}
	return set
}
