package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/rest/input"
	"github.com/uplinehq/upline/rest/record"
)

const registration = `{"firstName":"Ana","lastName":"Diaz","status":"Active","teams":{"default":{"directUpline":"A1","level":10}},"initiator":"test"}`

// with returns the registration with properties added or replaced; a property
// set to "" is taken out.
func with(t testing.TB, properties map[string]string) string {
	t.Helper()
	var body map[string]json.RawMessage
	if err := json.Unmarshal([]byte(registration), &body); err != nil {
		t.Fatal(err)
	}
	for name, value := range properties {
		if body[name] = json.RawMessage(value); value == "" {
			delete(body, name)
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestBodyBecomesTheInput(t *testing.T) {
	b := newBench(t)
	b.call(http.MethodPost, "/agents", with(t, map[string]string{
		"startDate":   `"2024-02-01T00:00:00Z"`,
		"birthDate":   `"1980-05-04"`,
		"isDedicated": `true`,
		"homeAddress": `{"city":"Austin","jurisdiction":"US-TX"}`,
	}))
	want := `{"input":{"birthDate":"1980-05-04","firstName":"Ana","homeAddress":{"city":"Austin","jurisdiction":"US-TX"},` +
		`"initiator":"test","isDedicated":true,"lastName":"Diaz","startDate":"2024-02-01T00:00:00Z","status":"Active",` +
		`"teams":[{"membership":{"directUpline":"A1","level":10},"team":"default"}]}}`
	if got := b.variables(t); b.Operation != "AgentRegister" || got != want {
		t.Errorf("%s\n%s", b.Operation, got)
	}
}

// "Property omitted: value unchanged"; "property set to null: value cleared"
// (specification, "Partial updates: PATCH versus PUT").
func TestOmittedIsKeptApartFromNull(t *testing.T) {
	b := newBench(t)
	b.call(http.MethodPatch, "/agents/A1", `{"middleName":null,"email":"ana@example.com","initiator":"test"}`)
	if got, want := b.variables(t), `{"input":{"agentCode":"A1","email":"ana@example.com","initiator":"test","middleName":null}}`; got != want {
		t.Errorf("%s", got)
	}
	b.call(http.MethodPatch, "/teams/default/members/A1", `{"membership":{"directUpline":null},"initiator":"test"}`)
	if got, want := b.variables(t), `{"input":{"agentCode":"A1","initiator":"test","membership":{"directUpline":null},"team":"default"}}`; got != want {
		t.Errorf("%s", got)
	}
}

// The key of a jurisdiction is "id in the form XX-XX" (specification, Reference
// data).
func TestJurisdictionKeyIsID(t *testing.T) {
	b := newBench(t)
	b.call(http.MethodPost, "/jurisdictions", `{"id":"US-TX","name":"Texas","initiator":"test"}`)
	if got, want := b.variables(t), `{"input":{"code":"US-TX","initiator":"test","name":"Texas"}}`; got != want {
		t.Errorf("%s", got)
	}
	if p := problemOf(t, b.call(http.MethodPost, "/jurisdictions", `{"code":"US-TX","name":"Texas","initiator":"test"}`)); !slices.Equal(fields(p), []string{"id REQUIRED", "code UNKNOWN_FIELD"}) {
		t.Errorf("%v", fields(p))
	}
}

// The statuses are spelled as in "Certification statuses" of the specification.
func TestEnumIsSpelledAsInTheSpecification(t *testing.T) {
	b := newBench(t)
	body := `{"status":"%s","effectiveFrom":"2026-01-01","initiator":"test"}`
	b.call(http.MethodPost, "/certifications/7/history", fmt.Sprintf(body, "AdministrativeSuspension"))
	if got, want := b.variables(t), `{"input":{"certificationId":"7","effectiveFrom":"2026-01-01","initiator":"test","status":"ADMINISTRATIVE_SUSPENSION"}}`; got != want {
		t.Errorf("%s", got)
	}
	for _, other := range []string{"ADMINISTRATIVE_SUSPENSION", "administrativeSuspension", "Unheard", ""} {
		p := problemOf(t, b.call(http.MethodPost, "/certifications/7/history", fmt.Sprintf(body, other)))
		if !slices.Equal(fields(p), []string{"status UNKNOWN_STATUS"}) || !strings.Contains(p.Message, "status must be one of Active, Pending") {
			t.Errorf("%q: %+v", other, p)
		}
	}
}

// "400: validation failure (missing or invalid fields … setting a required
// field to null)" (specification, Errors). All are reported together, by path.
func TestWhatIsWrongWithABodyIsReportedTogether(t *testing.T) {
	for _, c := range []struct {
		name string
		body string
		want []string
	}{
		{"missing", `{"teams":{}}`, []string{"firstName REQUIRED", "lastName REQUIRED", "status REQUIRED", "initiator REQUIRED"}},
		{"unknown", with(t, map[string]string{"nickname": `"x"`, "homeAddress": `{"street":"x"}`}), []string{"homeAddress.street UNKNOWN_FIELD", "nickname UNKNOWN_FIELD"}},
		{"null on required", with(t, map[string]string{"firstName": "null", "teams": "null"}), []string{"firstName NULL_NOT_ALLOWED", "teams NULL_NOT_ALLOWED"}},
		{"null on required below", with(t, map[string]string{"cellPhone": `{"phoneNumber":null}`}), []string{"cellPhone.phoneNumber NULL_NOT_ALLOWED"}},
		{"missing below", with(t, map[string]string{"cellPhone": `{}`}), []string{"cellPhone.phoneNumber REQUIRED"}},
		{"types", with(t, map[string]string{"firstName": "1", "isDedicated": `"true"`, "homeAddress": `"Austin"`, "teams": "[]"}),
			[]string{"firstName INVALID_FORMAT", "teams INVALID_FORMAT", "isDedicated INVALID_FORMAT", "homeAddress INVALID_FORMAT"}},
		{"dates", with(t, map[string]string{"birthDate": `"2026-02-30"`, "startDate": `"2026-02-01"`}), []string{"startDate INVALID_FORMAT", "birthDate INVALID_FORMAT"}},
		{"dictionary", with(t, map[string]string{"teams": `{"default":{"level":"10","rank":1},"other":null}`}),
			[]string{"teams.default.level INVALID_FORMAT", "teams.default.rank UNKNOWN_FIELD", "teams.other NULL_NOT_ALLOWED"}},
		{"integers", with(t, map[string]string{"teams": `{"default":{"level":1.5},"b":{"level":3000000000}}`}), []string{"teams.b.level INVALID_FORMAT", "teams.default.level INVALID_FORMAT"}},
		{"twice", `{"firstName":"A","firstName":"B","lastName":"C","status":"Active","teams":{"default":{},"default":{}},"initiator":"x"}`,
			[]string{"firstName INVALID_FORMAT", "teams.default INVALID_FORMAT"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			p := problemOf(t, b.call(http.MethodPost, "/agents", c.body))
			if p.Status != 400 || !slices.Equal(fields(p), c.want) || b.Calls != 0 {
				t.Errorf("%d %v, %d calls", p.Status, fields(p), b.Calls)
			}
		})
	}
}

// The refused value may be a tax identifier: no message repeats it.
func TestRefusedValuesAreNotRepeated(t *testing.T) {
	b := newBench(t)
	w := b.call(http.MethodPost, "/agents", with(t, map[string]string{"governmentIdentifier": "123456789", "birthDate": `"123456789"`, "isDedicated": `"123456789"`}))
	if p := problemOf(t, w); len(p.Errors) != 3 || strings.Contains(w.Body.String(), "123456789") || strings.Contains(b.logged.String(), "123456789") {
		t.Errorf("%s", w.Body)
	}
}

func TestBodyThatIsNotAnObject(t *testing.T) {
	for _, body := range []string{`{`, `{"a":1,}`, `[]`, `"x"`, `null`, `{} {}`, "{\"a\":\"\xff\"}", ` `} {
		b := newBench(t)
		p := problemOf(t, b.call(http.MethodPost, "/agents", body))
		if p.Status != 400 || p.Code != "INVALID_FORMAT" || b.Calls != 0 {
			t.Errorf("%s: %+v", body, p)
		}
	}
}

func TestMediaTypeOfTheBody(t *testing.T) {
	b := newBench(t)
	for contentType, status := range map[string]int{
		"application/json":                   200,
		"application/json; charset=UTF-8":    200,
		"application/merge-patch+json":       200,
		"application/json; charset=utf-16":   415,
		"text/plain":                         415,
		"application/x-www-form-urlencoded":  415,
		"image/svg+json":                     415,
		"":                                   415,
		"application/json, application/json": 415,
	} {
		b.Data(`{"agentUpdate":{"_":{},"userErrors":[],"applied":true}}`)
		w := b.call(http.MethodPatch, "/agents/A1", onlyInitiator, "Content-Type", contentType)
		if passed := b.Calls > 0; passed != (status == 200) {
			t.Errorf("%q: %d", contentType, w.Code)
		}
		if status == 415 && problemOf(t, w).Code != "UNSUPPORTED_MEDIA_TYPE" {
			t.Errorf("%s", w.Body)
		}
		b.Calls = 0
	}
}

// A compressed body is refused as HTTP has it (RFC 9110 §15.5.16), not taken for
// bad JSON.
func TestCompressedBody(t *testing.T) {
	b := newBench(t)
	p := problemOf(t, b.call(http.MethodPatch, "/agents/A1", onlyInitiator, "Content-Encoding", "gzip"))
	if p.Status != 415 || p.Code != "UNSUPPORTED_MEDIA_TYPE" || b.Calls != 0 {
		t.Errorf("%+v, %d calls", p, b.Calls)
	}
}

// A body that is nested for its own sake is refused before it costs memory: of
// every level, the path of what is in it would be kept.
func TestDeepBody(t *testing.T) {
	b := newBench(t)
	for _, deep := range []string{strings.Repeat("[", 9000) + strings.Repeat("]", 9000), strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000)} {
		body := `{"firstName":` + deep + `}`
		least := testing.AllocsPerRun(1, func() { problemOf(t, b.call(http.MethodPatch, "/agents/A1", `{}`)) })
		got := testing.AllocsPerRun(1, func() {
			if p := problemOf(t, b.call(http.MethodPatch, "/agents/A1", body)); p.Status != 400 || !strings.Contains(p.Message, "nested deeper than 32") {
				t.Errorf("%+v", p)
			}
		})
		if got > least+1000 {
			t.Errorf("a deep body took %.0f allocations, an empty one %.0f", got, least)
		}
	}
}

func TestBodyOverTheLimit(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxBody = 200 })
	p := problemOf(t, b.call(http.MethodPost, "/agents", with(t, map[string]string{"middleName": `"` + strings.Repeat("x", 200) + `"`})))
	if p.Status != 413 || p.Code != "BODY_TOO_LARGE" {
		t.Errorf("%+v", p)
	}
	if b.call(http.MethodPost, "/agents", registration); b.Calls != 1 {
		t.Error("a body below the limit was refused")
	}
}

// The two spellings of an enum value are one to one, for every enum.
func TestEnumSpellingsRoundTrip(t *testing.T) {
	n := 0
	for _, def := range sdl().Types {
		seen := map[string]bool{}
		for _, v := range def.EnumValues {
			n++
			rest := record.Spellings(def)[v.Name]
			c := input.Checker{Schema: sdl()}
			if back := c.Value(ast.NamedType(def.Name, nil), rest, nil); back != v.Name || seen[rest] {
				t.Errorf("%s.%s becomes %s and %v", def.Name, v.Name, rest, back)
			}
			seen[rest] = true
		}
	}
	if n < 50 {
		t.Errorf("only %d values", n)
	}
	if got := record.Spellings(sdl().Types["BankCountry"]); got["US"] != "US" || got["CA"] != "CA" {
		t.Errorf("countries are spelled %v", got)
	}
}

// FuzzBody holds the checker to its promises for any body: it does not panic,
// and a body that passes has all that is required and nothing unknown.
func FuzzBody(f *testing.F) {
	f.Add(registration)
	f.Add(`{"teams":{"default":{"level":1}},"teams":[]}`)
	f.Add(`{"homeAddress":{"line1":null},"startDate":"2026-01-01T00:00:00+02:00"}`)
	def := sdl().Types["AgentRegisterInput"]
	f.Fuzz(func(t *testing.T, text string) {
		body, _, err := input.DecodeJSON([]byte(text))
		if err == nil && !json.Valid([]byte(text)) {
			t.Fatal("invalid JSON was decoded")
		}
		c := &input.Checker{Schema: sdl()}
		variables, isObject := c.Value(ast.NonNullNamedType(def.Name, nil), body, nil).(map[string]any)
		if len(c.Found) > 0 || !isObject {
			return
		}
		for _, field := range def.Fields {
			if value, sent := variables[field.Name]; field.Type.NonNull && (!sent || value == nil) {
				t.Errorf("%s is missing", field.Name)
			}
		}
		for name := range variables {
			if def.Fields.ForName(name) == nil {
				t.Errorf("%s is unknown", name)
			}
		}
	})
}
