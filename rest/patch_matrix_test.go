package rest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

type object = map[string]any

// Every property of every PATCH body, by the rules of "Partial updates: PATCH
// versus PUT": omitted is unchanged; a value replaces; null clears, "where the
// field allows it", and is refused otherwise; a value of another type is
// refused. What is refused names the property and changes nothing.
func TestPatchMatrix(t *testing.T) {
	dbtest.EachKind(t, func(t *testing.T, open func(testing.TB) *store.Store) {
		all := operations(t)
		for _, path := range slices.Sorted(maps.Keys(all)) {
			o := all[path]
			if !strings.HasPrefix(path, "PATCH ") {
				continue
			}
			t.Run(o.OperationID, func(t *testing.T) {
				row, ok := patches[o.OperationID]
				if !ok {
					t.Fatalf("%s is not in the matrix", path)
				}
				w := apptest.New(t, open(t), apptest.Options{Now: transcriptsBegin})
				m := newMatrix(t, w.As(apptest.Acme, append(row.scopes, apptest.Agency...)...), row)
				m.body(bodySchema(t, path), "")
			})
		}
	})
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
	m.send(201, "POST", "/agents", object{"agentCode": "A1", "firstName": "Ana", "middleName": "L", "lastName": "Test", "commonName": "An", "suffix": "Sr.", "status": "Active", "email": "a@example.com",
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
		if (name == "initiator" || name == "reason") && prefix == "" {
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
