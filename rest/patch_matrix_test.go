package rest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
)

type object = map[string]any

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
		"firstName": "Bea", "middleName": "M", "lastName": "Doe", "commonName": "B", "email": "b@example.com", "npn": "9", "customerId": "C9",
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

// Every property of every PATCH body, by the rules of "Partial updates: PATCH
// versus PUT": omitted is unchanged; a value replaces; null clears, "where the
// field allows it", and is refused otherwise; a value of another type is
// refused. What is refused names the property and changes nothing.
func TestPatchMatrix(t *testing.T) {
	for _, database := range []struct {
		name  string
		store func(testing.TB) *store.Store
	}{{"sqlite", dbtest.SQLite}, {"postgres", dbtest.Postgres}} {
		t.Run(database.name, func(t *testing.T) {
			for _, path := range slices.Sorted(maps.Keys(operations(t))) {
				o := operations(t)[path]
				if !strings.HasPrefix(path, "PATCH ") {
					continue
				}
				t.Run(o.OperationID, func(t *testing.T) {
					row, ok := patches[o.OperationID]
					if !ok {
						t.Fatalf("%s is not in the matrix", path)
					}
					w := apptest.New(t, database.store(t), apptest.Options{Now: transcriptsBegin})
					m := newMatrix(t, w.As(apptest.Acme, append(row.scopes, apptest.Agency...)...), row)
					m.body(bodySchema(t, path), "")
				})
			}
		})
	}
}

// matrix runs the rows of one path.
type matrix struct {
	*testing.T
	patched
	caller *apptest.Caller
}

// newMatrix registers an agent that has everything, beside another one.
func newMatrix(t *testing.T, c *apptest.Caller, row patched) *matrix {
	m := &matrix{t, row, c}
	m.base = ""
	address := object{"line1": "1 Main", "line2": "A", "city": "Austin", "jurisdiction": "US-TX", "postalCode": "78701", "country": "US"}
	phone := object{"countryCode": "44", "areaCode": "512", "phoneNumber": "5550100"}
	w9 := object{"name": "Ana", "businessName": "Ana & Co", "taxClassification": "Individual", "exemptPayee": "5", "accountNumber": "X-1", "taxpayerIdentifier": "900-12-3456",
		"signature": "Ana", "signatureDate": "2026-01-01", "address": object{"streetAddress": "1 Main", "city": "Austin", "state": "TX", "zipCode": "78701"}}
	bank := object{"country": "US", "accountHolderName": "Ana", "bankName": "South", "accountType": "Checking", "routingNumber": "011000015", "accountNumber": "12345678"}
	m.send(201, "POST", "/agents", object{"agentCode": "A0", "firstName": "Top", "lastName": "Test", "status": "Active", "teams": object{"default": object{}}, "initiator": "x"})
	m.send(201, "POST", "/agents", object{"agentCode": "A1", "firstName": "Ana", "middleName": "L", "lastName": "Test", "commonName": "An", "status": "Active", "email": "a@example.com",
		"npn": "1", "customerId": "C1", "governmentIdentifier": "900-12-3456", "birthDate": "1980-01-02", "gender": "X", "startDate": "2019-01-01T00:00:00Z",
		"teams": object{"default": object{"level": 10}}, "homeAddress": address, "businessAddress": address, "cellPhone": phone, "homePhone": phone,
		"businessPhone": phone, "fax": phone, "w9": w9, "directDeposit": bank, "initiator": "x"})
	m.send(201, "POST", "/tags", object{"name": "Veteran", "initiator": "x"})
	if row.base != "" {
		m.base = row.base
		m.send(201, "POST", "/users", object{"username": "ana", "password": "Tulip-bucket-91", "email": "a@example.com", "agentCode": "A1", "roles": []any{"Agent"}, "status": "Approved"})
	}
	if strings.Contains(row.path, "{id}") {
		made := m.send(201, "POST", "/certifications", object{"agentCode": "A1", "type": "AML", "isResidentCertification": false, "isVerified": false, "note": "n", "initiator": "x"})
		fill := strings.NewReplacer("{id}", fmt.Sprint(apptest.At(made, "id")))
		m.path, m.read = fill.Replace(row.path), fill.Replace(row.read)
	}
	return m
}

// body runs the rows of the properties of a body, and of the objects in it.
func (m *matrix) body(schema object, prefix string) {
	properties, _ := schema["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if name == "initiator" && prefix == "" {
			continue
		}
		property := properties[name].(object)
		path := prefix + name
		inner := resolve(m.T, property)
		if inner["properties"] != nil && !slices.Contains(m.whole, path) {
			m.body(inner, path+".")
			m.null(path)
			m.wrong(path, inner)
			m.send(200, "PATCH", m.path, m.restore(path))
			continue
		}
		if _, list := inner["items"]; !list {
			m.value(path)
		}
		m.null(path)
		m.wrong(path, inner)
	}
}

// value: "Property set to a value: value replaced", the omitted ones unchanged.
func (m *matrix) value(path string) {
	value, ok := m.set[path]
	if !ok {
		m.Errorf("%s has no value in the matrix", path)
		return
	}
	before := m.record()
	omitted := object{"initiator": "x"}
	if parent, _, nested := strings.Cut(path, "."); nested {
		omitted[parent] = object{} // which a body may require
	}
	m.send(200, "PATCH", m.path, omitted)
	m.same(path+" omitted", before, m.record(), "")
	m.send(200, "PATCH", m.path, nestedBody(path, value))
	after := m.record()
	if got := apptest.At(after, m.at(path)); !covers(got, value) && !slices.Contains(m.hidden, path) {
		m.Errorf("%s set to %v is %v", path, value, got)
	}
	m.same(path+" set", before, after, m.at(path))
}

// null: "Property set to null: value cleared, where the field allows it";
// "setting a required field to null is a validation error".
func (m *matrix) null(path string) {
	before := m.record()
	if slices.Contains(m.refusesNull, path) {
		m.refused(path+" null", path, "NULL_NOT_ALLOWED", nestedBody(path, nil))
		return
	}
	m.send(200, "PATCH", m.path, nestedBody(path, nil))
	after := m.record()
	if got, want := apptest.At(after, m.at(path)), m.whenCleared[path]; !reflect.DeepEqual(got, want) {
		m.Errorf("%s set to null is %v, want %v", path, got, want)
	}
	m.same(path+" null", before, after, m.at(path))
	if m.set[path] != nil {
		m.send(200, "PATCH", m.path, nestedBody(path, m.set[path]))
	}
}

// wrong: a value of another type.
func (m *matrix) wrong(path string, schema object) {
	var value any = 7.5
	if kinds := fmt.Sprint(schema["type"]); strings.Contains(kinds, "integer") {
		value = "seven"
	}
	m.refused(path+" of another type", path, "INVALID_FORMAT", nestedBody(path, value))
}

// restore sets everything below an object again.
func (m *matrix) restore(path string) object {
	body := object{"initiator": "x"}
	for name, value := range m.set {
		if strings.HasPrefix(name, path+".") {
			merge(body, nestedBody(name, value))
		}
	}
	return body
}

// refused demands a refusal that names the property and changes nothing.
func (m *matrix) refused(what, path, code string, body object) {
	before := m.record()
	answer := m.send(400, "PATCH", m.path, body)
	errors, _ := apptest.At(answer, "errors").([]any)
	if len(errors) != 1 || apptest.At(errors[0], "field") != path || apptest.At(errors[0], "code") != code {
		m.Errorf("%s: %v, want %s of %s", what, errors, code, path)
	}
	if after := m.record(); !reflect.DeepEqual(before, after) {
		m.Errorf("%s changed %v to %v", what, before, after)
	}
}

// same demands that two readings of the record differ in nothing but a
// property and what it moves.
func (m *matrix) same(what string, before, after any, but string) {
	a, b := leaves(before, ""), leaves(after, "")
	for _, path := range slices.Sorted(maps.Keys(merged(a, b))) {
		stamp := strings.HasSuffix(path, "lastModified") || strings.HasSuffix(path, "lastModifiedBy")
		moved := but != "" && (stamp || slices.Contains(m.moves, path) || path == but || strings.HasPrefix(path, but+".") || strings.HasPrefix(but, path+"."))
		if !moved && !reflect.DeepEqual(a[path], b[path]) {
			m.Errorf("%s changed %s from %v to %v", what, path, a[path], b[path])
		}
	}
}

func (m *matrix) at(path string) string {
	if shown, ok := m.shown[path]; ok {
		return shown
	}
	return path
}

func (m *matrix) record() any {
	m.Helper()
	answer := m.send(200, "GET", m.read, nil)
	items, ok := apptest.At(answer, "items").([]any)
	if !ok {
		return answer
	}
	i := slices.IndexFunc(items, func(item any) bool { return strings.HasSuffix(m.path, "/"+fmt.Sprint(apptest.At(item, "code"))) })
	if i < 0 {
		m.Fatalf("%s is not in the list %s", m.path, m.read)
	}
	return items[i]
}

// answer sends a request to the API of the matrix.
func (m *matrix) answer(method, path string, body any) (status int, answer []byte) {
	if m.base == "" {
		status, _, answer = m.caller.REST(m.T, method, path, body)
		return status, answer
	}
	var encoded []byte
	if o, ok := body.(object); ok {
		o = maps.Clone(o)
		delete(o, "initiator")
		encoded, _ = json.Marshal(o)
	}
	w := m.caller.Send(m.T, method, m.base+path, nil, encoded)
	return w.Code, w.Body.Bytes()
}

func (m *matrix) send(want int, method, path string, body any) any {
	m.Helper()
	status, answer := m.answer(method, path, body)
	if status != want {
		m.Fatalf("%s %s %v: %d %s, want %d", method, path, body, status, answer, want)
	}
	var decoded any
	if err := decode(answer, &decoded); err != nil {
		m.Fatalf("%s %s: %v", method, path, err)
	}
	return decoded
}
