package onboarding_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// limits are the longest texts that are accepted, by their fields.
var limits = []struct {
	field string
	most  int
	set   func(f *onboarding.Form, text string)
}{
	{"recruiterAgentCode", 20, func(f *onboarding.Form, s string) { f.RecruiterAgentCode = s }},
	{"governmentIdentifier", 24, func(f *onboarding.Form, s string) { f.GovernmentIdentifier = &s }},
	{"background.notes", 2048, func(f *onboarding.Form, s string) { f.Background = &onboarding.Background{Notes: &s} }},
	{"firstName", 100, func(f *onboarding.Form, s string) { f.FirstName = s }},
	{"spouse.agentCode", 20, func(f *onboarding.Form, s string) { f.Spouse = &onboarding.Spouse{AgentCode: &s} }},
	{"homePhone.phoneNumber", 20, func(f *onboarding.Form, s string) { f.HomePhone = &onboarding.Phone{PhoneNumber: &s} }},
	{"w9.ssn", 24, func(f *onboarding.Form, s string) { f.W9 = &onboarding.W9{SSN: &s} }},
	{"w9.ein", 24, func(f *onboarding.Form, s string) { f.W9 = &onboarding.W9{EIN: &s} }},
	{"w9.exemptPayee", 10, func(f *onboarding.Form, s string) { f.W9 = &onboarding.W9{ExemptPayee: &s} }},
	{"employment.items.0.employer", 255, func(f *onboarding.Form, s string) {
		f.Employment = &onboarding.Employment{Items: []onboarding.Employer{{Employer: s}}}
	}},
	{"licenses.items.0.type", 255, func(f *onboarding.Form, s string) {
		f.Licenses = &onboarding.Licenses{Items: []onboarding.License{{Type: s, Jurisdiction: "US-TX"}}}
	}},
}

// "recruiterAgentCode: max 20 characters … emailAddress (application): max 100 …
// governmentIdentifier (application): max 24 … background.notes: max 2048"
// (Limits), in characters and not in bytes; other texts have limits too.
func TestLengths(t *testing.T) {
	each(t, func(t *testing.T, refused func(onboarding.Form) string) {
		for _, l := range limits {
			for length, want := range map[int]string{l.most: "", l.most + 1: l.field} {
				f := minimum("a@example.com")
				l.set(&f, strings.Repeat("é", length))
				if got := refused(f); got != want {
					t.Errorf("%s of %d characters: %q is refused", l.field, length, got)
				}
			}
		}
		for length, want := range map[int]string{100: "", 101: "emailAddress"} {
			if got := refused(minimum(strings.Repeat("x", length-len("@example.com")) + "@example.com")); got != want {
				t.Errorf("an e-mail address of %d characters: %q is refused", length, got)
			}
		}
	})
}

// each gives a test what of a form is refused: the fields, "" when it is
// accepted. SQLite is enough: nothing of it is about the database.
func each(t *testing.T, f func(t *testing.T, refused func(onboarding.Form) string)) {
	t.Helper()
	s := dbtest.SQLite(t)
	w := apptest.New(t, s, apptest.Options{})
	ctx := w.Context(t, apptest.Acme)
	f(t, func(form onboarding.Form) string {
		a, err := w.Onboarding.Create(ctx, form)
		if err == nil { // the next one is somebody else
			(&world{w, t, ctx}).setStatus(a.UID, onboarding.Rejected)
		}
		return fieldsOf(err)
	})
}

// "birthDate: YYYY-MM-DD, year between 1900 and 2100" (Application).
func TestBirthDate(t *testing.T) {
	each(t, func(t *testing.T, refused func(onboarding.Form) string) {
		for day, want := range map[date.Date]string{
			date.Of(1899, time.December, 31): "birthDate spouse.birthDate", date.Of(1900, time.January, 1): "",
			date.Of(2100, time.December, 31): "", date.Of(2101, time.January, 1): "birthDate spouse.birthDate",
		} {
			f := minimum("a@example.com")
			f.BirthDate, f.Spouse = &day, &onboarding.Spouse{BirthDate: &day}
			if got := refused(f); got != want {
				t.Errorf("%s: %q is refused", day, got)
			}
		}
	})
}

// Days outside 1900 to 2200 are typing mistakes (docs/divergences.md), births aside.
func TestDaysHaveBounds(t *testing.T) {
	each(t, func(t *testing.T, refused func(onboarding.Form) string) {
		const others = "licenses.items.0.effectiveFrom employment.items.0.startDate w9.entryDate"
		for day, want := range map[date.Date]string{
			date.Of(1, time.January, 1): others, date.Of(1899, time.December, 31): others, date.Of(1900, time.January, 1): "", date.Of(2201, time.January, 1): others, date.Max: others,
		} {
			f := minimum("a@example.com")
			f.Licenses = &onboarding.Licenses{Items: []onboarding.License{{Type: "HEALTH", Jurisdiction: "US-TX", EffectiveFrom: &day}}}
			f.Employment = &onboarding.Employment{Items: []onboarding.Employer{{Employer: "E", StartDate: &day}}}
			f.W9 = &onboarding.W9{EntryDate: &day}
			if got := refused(f); got != want {
				t.Errorf("%s: %q is refused", day, got)
			}
		}
		for day, want := range map[date.Date]string{date.Of(2200, time.December, 30): "", date.Of(2200, time.December, 31): "licenses.items.0.expiresOn employment.items.0.endDate", date.Max: ""} {
			f := minimum("a@example.com")
			f.Licenses = &onboarding.Licenses{Items: []onboarding.License{{Type: "HEALTH", Jurisdiction: "US-TX", ExpiresOn: &day}}}
			f.Employment = &onboarding.Employment{Items: []onboarding.Employer{{Employer: "E", EndDate: &day}}}
			if got := refused(f); got != want {
				t.Errorf("through %s: %q is refused", day, got)
			}
		}
	})
}

// "jurisdiction must match the pattern XX-XX" (Application), wherever one is.
func TestJurisdictionPattern(t *testing.T) {
	const all = "homeAddress.jurisdiction businessAddress.jurisdiction licenses.items.0.jurisdiction employment.items.0.jurisdiction w9.jurisdiction"
	each(t, func(t *testing.T, refused func(onboarding.Form) string) {
		for text, want := range map[string]string{"US-TX": "", "CA-01": "", "us-tx": all, "USTX": all, "US-TXX": all, "Texas": all, "xUS-TX": all} {
			f := minimum("a@example.com")
			f.HomeAddress, f.BusinessAddress = &onboarding.Address{Jurisdiction: &text}, &onboarding.Address{Jurisdiction: of(text)}
			f.Licenses = &onboarding.Licenses{Items: []onboarding.License{{Type: "LIFE", Jurisdiction: text}}}
			f.Employment = &onboarding.Employment{Items: []onboarding.Employer{{Employer: "Bank", Jurisdiction: of(text)}}}
			f.W9 = &onboarding.W9{Jurisdiction: of(text)}
			if got := refused(f); got != want {
				t.Errorf("%s: %q is refused", text, got)
			}
		}
	})
}

// All that is wrong is named at once, and no message repeats a value.
func TestEverythingWrongIsNamed(t *testing.T) {
	s := dbtest.SQLite(t)
	w := apptest.New(t, s, apptest.Options{})
	early, late := date.Of(2020, 1, 1), date.Of(2021, 1, 1)
	f := onboarding.Form{RecruiterAgentCode: " ", EmailAddress: "SECRET", Gender: of("SECRET"), MaritalStatus: of("SECRET"), GovernmentIdentifier: of("S"),
		Licenses:   &onboarding.Licenses{Items: []onboarding.License{{EffectiveFrom: &late, ExpiresOn: &early, LinesOfAuthority: []string{""}}}},
		Employment: &onboarding.Employment{Items: []onboarding.Employer{{StartDate: &late, EndDate: &early}}},
		W9:         &onboarding.W9{Classification: of("SECRET"), LLCClassification: of("SECRET"), SSN: of("1"), Signature: of("SECRET\x01")},
		Background: &onboarding.Background{Responses: []onboarding.Response{{ContentItemVersionID: "v"}, {ContentItemVersionID: "V"}, {}}},
		Contract:   &onboarding.Signed{ClientIPAddress: of("SECRET")},
	}
	_, err := w.Onboarding.Create(w.Context(t, apptest.Acme), f)
	want := "recruiterAgentCode firstName lastName emailAddress governmentIdentifier gender maritalStatus licenses.items.0.type licenses.items.0.jurisdiction " +
		"licenses.items.0.expiresOn licenses.items.0.linesOfAuthority.0 employment.items.0.employer employment.items.0.endDate w9.classification w9.llcClassification " +
		"w9.ssn w9.signature background.responses.1.contentItemVersionId background.responses.2.contentItemVersionId contract.versionId contract.signature contract.clientIpAddress"
	if got := fieldsOf(err); got != want {
		t.Errorf("named are\n%s; want\n%s", got, want)
	}
	if strings.Contains(fmt.Sprint(err), "SECRET") {
		t.Errorf("a message repeats a value: %v", err)
	}
}

// Lists are bounded.
func TestListSizes(t *testing.T) {
	each(t, func(t *testing.T, refused func(onboarding.Form) string) {
		f := minimum("a@example.com")
		f.Licenses = &onboarding.Licenses{Items: make([]onboarding.License, 201)}
		f.Employment = &onboarding.Employment{Items: make([]onboarding.Employer, 51)}
		f.Background = &onboarding.Background{Responses: make([]onboarding.Response, 501)}
		if got := refused(f); got != "licenses.items employment.items background.responses" {
			t.Errorf("%q are refused", got)
		}
	})
}

// "Creating an application when an agent already exists with the provided
// government identifier or tax ID: 409" (Errors, 3): its SSN or SIN, or that of
// any W9 of it, a past one too.
func TestAgentsAreNotApplicants(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		c := w.As(apptest.Acme)
		for _, request := range []struct {
			method, path string
			body         map[string]any
		}{
			{"POST", "/agents", map[string]any{"agentCode": "A1", "firstName": "Ida", "lastName": "Berg", "status": "Active", "teams": map[string]any{"default": map[string]any{}},
				"startDate": "2020-01-01T00:00:00Z", "governmentIdentifier": "900-55-0001", "w9": map[string]any{"name": "Ida", "taxClassification": "Individual", "taxpayerIdentifier": "98-0000001"}}},
			{"PATCH", "/agents/A1/payee", map[string]any{"w9": map[string]any{"taxpayerIdentifier": "98-0000002"}}},
		} {
			request.body["initiator"] = "hr"
			if status, _, answer := c.REST(t, request.method, request.path, request.body); status >= 300 {
				t.Fatalf("%s: %d %s", request.path, status, answer)
			}
		}
		for i, test := range []struct {
			identifier, ssn, ein string
			known                bool
		}{
			{"900 55 0001", "", "", true}, {"", "900550001", "", true}, {"", "", "98-0000001", true}, {"", "", "980000002", true},
			{"98-0000002", "", "", true}, {"900-55-0002", "900-55-0003", "98-0000003", false},
		} {
			f := minimum(fmt.Sprintf("p%d@example.com", i))
			f.W9 = &onboarding.W9{TaxpayerName: of("P")}
			for text, field := range map[*string]**string{&test.identifier: &f.GovernmentIdentifier, &test.ssn: &f.W9.SSN, &test.ein: &f.W9.EIN} {
				if *text != "" {
					*field = text
				}
			}
			_, err := w.Onboarding.Create(w.ctx, f)
			if test.known != problem.Has(err, problem.AgentExistsForTaxID) || !test.known && err != nil {
				t.Errorf("%+v: %v", test, err)
			}
		}
		a := w.create(minimum("later@example.com"))
		f := minimum("later@example.com")
		f.GovernmentIdentifier = of("900-55-0001")
		if _, _, err := w.Onboarding.Replace(w.ctx, a.UID, f); !problem.Has(err, problem.AgentExistsForTaxID) {
			t.Errorf("a replacement: %v", err)
		}
	})
}
