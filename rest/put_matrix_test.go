package rest_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// completeApplication has a value for every property.
const completeApplication = `{"recruiterAgentCode": "A1", "firstName": "Rosa", "middleName": "M", "lastName": "Ibarra", "commonName": "R", "suffix": "Jr.",
	"emailAddress": "rosa@example.com", "governmentIdentifier": "900-44-1234", "birthDate": "1990-06-15", "gender": "NonBinary", "maritalStatus": "DomesticPartnership",
	"spouse": {"firstName": "Leo", "lastName": "I", "birthDate": "1988-01-02", "emailAddress": "leo@example.com", "phone": {"countryCode": "1", "areaCode": "512", "phoneNumber": "1"}, "isLicensedAgent": false, "agentCode": "A2"},
	"homeAddress": {"address1": "1", "address2": "2", "city": "Austin", "jurisdiction": "US-TX", "postalCode": "7"},
	"businessAddress": {"address1": "1", "address2": "2", "city": "Austin", "jurisdiction": "US-TX", "postalCode": "7"},
	"homePhone": {"countryCode": "1", "areaCode": "512", "phoneNumber": "1"}, "cellPhone": {"countryCode": "1", "areaCode": "512", "phoneNumber": "1"},
	"licenses": {"npn": "1", "isCurrentlyLicensed": true, "items": [{"type": "LIFE", "jurisdiction": "US-TX", "licenseNumber": "T", "isResident": true, "effectiveFrom": "2024-01-01", "expiresOn": "2027-01-01", "linesOfAuthority": ["Life"]}]},
	"employment": {"isCurrentlyEmployed": true, "hasNonCompete": false, "items": [{"employer": "Bank", "position": "Teller", "startDate": "2019-01-01", "endDate": "2020-01-01", "city": "Austin", "jurisdiction": "US-TX",
		"phone": {"countryCode": "1", "areaCode": "512", "phoneNumber": "1"}, "reasonForLeaving": "Moved", "mayContact": true}]},
	"w9": {"taxpayerName": "Rosa", "businessName": "R", "classification": "Llc", "llcClassification": "S", "otherClassification": "o", "exemptPayee": "5", "address": "1", "city": "Austin", "jurisdiction": "US-TX",
		"postalCode": "7", "accountNumbers": "ACC-1", "ssn": "900-44-1234", "ein": "98-1234567", "signature": "Rosa", "entryDate": "2026-03-01"},
	"background": {"notes": "n", "requiresApproval": true, "approved": true, "responses": [{"contentItemVersionId": "v1", "responseValue": "no"}]},
	"contract": {"versionId": "c1", "agreementDate": "2026-03-02", "signature": "Rosa", "clientIpAddress": "203.0.113.7", "responses": [{"contentItemVersionId": "v2", "responseValue": "agree"}]},
	"dedicated": true, "agentLevelValue": 10, "selectedProductId": "kit", "orderId": "O", "cartId": "C"}`

// Every property of the body of PUT /applications/{id}: "a PUT replaces the whole
// resource: every property is applied and an omitted property counts as null, so
// it is cleared" (Partial updates, 2). What cannot be null, and a value of another
// type, are refused; the refusal names the property and changes nothing.
func TestPutMatrix(t *testing.T) {
	for _, database := range []struct {
		name  string
		store func(testing.TB) *store.Store
	}{{"sqlite", dbtest.SQLite}, {"postgres", dbtest.Postgres}} {
		t.Run(database.name, func(t *testing.T) {
			w := apptest.New(t, database.store(t), apptest.Options{Now: transcriptsBegin})
			m := &putMatrix{T: t, caller: w.As(apptest.Acme, "agent-onboarding:applications:read", "agent-onboarding:applications:write"), path: "/agent-onboarding/{tenant}/applications"}
			made := m.send(201, "POST", m.complete())
			m.path += "/" + apptest.At(made, "id").(string)
			m.body(bodySchema(t, "PUT /agent-onboarding/{tenantIdentifier}/applications/{id}"), "")
			if m.rows < 100 {
				t.Errorf("only %d properties", m.rows)
			}
		})
	}
}

type putMatrix struct {
	*testing.T
	caller *apptest.Caller
	path   string
	rows   int
}

func (m *putMatrix) complete() object {
	var body object
	if err := decode([]byte(completeApplication), &body); err != nil {
		m.Fatal(err)
	}
	return body
}

// emptied is what properties become that do not become null.
var emptied = map[string]any{"background.requiresApproval": false, "background.approved": false, "background.responses": []any{}, "contract.responses": []any{},
	"licenses.items": []any{}, "licenses.items.0.linesOfAuthority": []any{}, "employment.items": []any{}}

// body runs the rows of the properties of an object, and of the objects in it.
func (m *putMatrix) body(schema object, prefix string) {
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		path := prefix + name
		m.rows++
		m.row(path, slices.Contains(required, any(name)))
		inner := resolve(m.T, properties[name].(object))
		if items, ok := inner["items"].(object); ok {
			if element := resolve(m.T, items); element["properties"] != nil {
				m.body(element, path+".0.")
			}
			continue
		}
		m.body(inner, path+".")
	}
}

func (m *putMatrix) row(path string, required bool) {
	m.send(200, "PUT", m.complete())
	m.is(path+" set", m.complete())

	cleared := m.complete()
	put(cleared, path, emptied[path], false)
	for what, code := range map[string]string{"omitted": "REQUIRED", "null": "NULL_NOT_ALLOWED"} {
		body := m.complete()
		put(body, path, nil, what == "omitted")
		if required {
			m.refused(path+" "+what, path, code, body)
			continue
		}
		m.send(200, "PUT", body)
		m.is(path+" "+what, cleared)
		m.send(200, "PUT", m.complete())
	}

	wrong := m.complete()
	put(wrong, path, 7.5, false)
	m.refused(path+" of another type", path, "INVALID_FORMAT", wrong)
}

// put sets the property of a path, or takes it out.
func put(body object, path string, value any, out bool) {
	names := strings.Split(path, ".")
	at := any(body)
	for _, name := range names[:len(names)-1] {
		if list, ok := at.([]any); ok {
			i, _ := strconv.Atoi(name)
			at = list[i]
			continue
		}
		at = at.(object)[name]
	}
	if last := names[len(names)-1]; out {
		delete(at.(object), last)
	} else {
		at.(object)[last] = value
	}
}

// is demands that the application is what a body says.
func (m *putMatrix) is(what string, want object) {
	m.Helper()
	got := m.send(200, "GET", nil).(object)
	for name, value := range want {
		if !reflect.DeepEqual(got[name], value) {
			m.Errorf("%s: %s is %v, want %v", what, name, got[name], value)
		}
	}
}

// refused demands a refusal that names the property, and that nothing changed.
func (m *putMatrix) refused(what, path, code string, body object) {
	m.Helper()
	answer := m.send(400, "PUT", body)
	errors, _ := apptest.At(answer, "errors").([]any)
	if len(errors) != 1 || apptest.At(errors[0], "field") != path || apptest.At(errors[0], "code") != code {
		m.Errorf("%s: %v, want %s of %s", what, errors, code, path)
	}
	m.is(what, m.complete())
}

func (m *putMatrix) send(want int, method string, body any) any {
	m.Helper()
	var encoded []byte
	if body != nil {
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			m.Fatal(err)
		}
	}
	answer := m.caller.Send(m.T, method, m.path, nil, encoded)
	if answer.Code != want {
		m.Fatalf("%s %s: %d %s, want %d", method, encoded, answer.Code, answer.Body, want)
	}
	var decoded any
	if err := decode(answer.Body.Bytes(), &decoded); err != nil {
		m.Fatal(err)
	}
	return decoded
}
