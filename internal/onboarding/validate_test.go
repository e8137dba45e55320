package onboarding_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/problem"
)

// What is published in tests of the pure part, by its contentItemVersionIds.
const (
	convicted = "11111111-1111-7111-8111-111111111111"
	since     = "22222222-2222-7222-8222-222222222222"
	carrier   = "33333333-3333-7333-8333-333333333333"
	signedID  = "44444444-4444-7444-8444-444444444444"
	honest    = "55555555-5555-7555-8555-555555555555"
	private   = "66666666-6666-7666-8666-666666666666"
)

func content(set ...func(*onboarding.Configuration)) *onboarding.Published {
	at := time.Date(2026, time.June, 1, 9, 0, 0, 0, time.UTC)
	p := &onboarding.Published{
		Configuration: onboarding.Configuration{Version: 3},
		Questions: []*onboarding.Question{
			{UID: convicted, ItemUID: "q1", ResponseType: onboarding.BooleanResponse, RequiresExplanationWhen: []string{"Yes"}, PublishedAt: at},
			{UID: since, ItemUID: "q2", ResponseType: onboarding.DateResponse, PublishedAt: at},
			{UID: carrier, ItemUID: "q3", ResponseType: onboarding.SingleChoiceResponse, Choices: []string{"None", "Some"}, RequiresExplanationWhen: []string{"Some"}, PublishedAt: at},
		},
		Contract: &onboarding.Contract{UID: signedID, VersionNumber: 2, PublishedAt: at, Covenants: []*onboarding.Covenant{{UID: honest}, {UID: private}}},
	}
	for _, f := range set {
		f(&p.Configuration)
	}
	return p
}

func bare() *onboarding.Form {
	return &onboarding.Form{RecruiterAgentCode: "A1", FirstName: "Ana", LastName: "Diaz", EmailAddress: "ana@example.com"}
}

func answer(id, value string) onboarding.Response {
	return onboarding.Response{ContentItemVersionID: id, ResponseValue: &value}
}

func address() *onboarding.Address {
	return &onboarding.Address{Address1: new("1 Main St"), City: new("Austin"), Jurisdiction: new("US-TX"), PostalCode: new("78701")}
}

func signed(version string) *onboarding.Signed {
	return &onboarding.Signed{VersionID: version, AgreementDate: date.Of(2026, time.June, 10), Signature: "Ana Diaz",
		Responses: []onboarding.Response{answer(honest, "Yes"), answer(private, "AFFIRMED")}}
}

// flagCase is a row of "Configuration flags … and what each makes mandatory at
// validation".
type flagCase struct {
	flag    string
	on      func(*onboarding.Configuration)
	present func(*onboarding.Form)
	missing []string
}

var flagCases = []flagCase{
	{"collectTaxId", func(c *onboarding.Configuration) { c.CollectTaxID = true },
		func(f *onboarding.Form) { f.GovernmentIdentifier = new("123-45-6789") }, []string{"governmentIdentifier"}},
	{"collectBirthDate", func(c *onboarding.Configuration) { c.CollectBirthDate = true },
		func(f *onboarding.Form) { f.BirthDate = date.Of(1990, time.May, 4).Ptr() }, []string{"birthDate"}},
	{"collectMaritalInfo", func(c *onboarding.Configuration) { c.CollectMaritalInfo = true },
		func(f *onboarding.Form) { f.MaritalStatus = new("SINGLE") }, []string{"maritalStatus"}},
	{"collectHomeAddress", func(c *onboarding.Configuration) { c.CollectHomeAddress = true },
		func(f *onboarding.Form) { f.HomeAddress = address() }, []string{"homeAddress"}},
	{"collectCorrespondenceAddress", func(c *onboarding.Configuration) { c.CollectCorrespondenceAddress = true },
		func(f *onboarding.Form) { f.BusinessAddress = address() }, []string{"businessAddress"}},
	{"collectPrimaryPhone", func(c *onboarding.Configuration) { c.CollectPrimaryPhone = true },
		func(f *onboarding.Form) { f.HomePhone = &onboarding.Phone{PhoneNumber: new("5550100")} }, []string{"homePhone"}},
	{"collectCellPhone", func(c *onboarding.Configuration) { c.CollectCellPhone = true },
		func(f *onboarding.Form) { f.CellPhone = &onboarding.Phone{PhoneNumber: new("5550100")} }, []string{"cellPhone"}},
	{"collectLicenseInfo", func(c *onboarding.Configuration) { c.CollectLicenseInfo = true },
		func(f *onboarding.Form) { f.Licenses = &onboarding.Licenses{IsCurrentlyLicensed: new(false)} }, []string{"licenses"}},
	{"collectEmploymentInfo", func(c *onboarding.Configuration) { c.CollectEmploymentInfo = true },
		func(f *onboarding.Form) { f.Employment = &onboarding.Employment{IsCurrentlyEmployed: new(false)} }, []string{"employment"}},
	{"collectTaxInfo", func(c *onboarding.Configuration) { c.CollectTaxInfo = true },
		func(f *onboarding.Form) {
			f.W9 = &onboarding.W9{TaxpayerName: new("Ana Diaz"), Classification: new("INDIVIDUAL"), SSN: new("123456789")}
		}, []string{"w9"}},
	{"collectContract", func(c *onboarding.Configuration) { c.CollectContract = true },
		func(f *onboarding.Form) { f.Contract = signed(signedID) },
		[]string{"contract", "contract.responses." + honest, "contract.responses." + private}},
	{"collectPersonalHistory", func(c *onboarding.Configuration) { c.CollectPersonalHistory = true },
		func(f *onboarding.Form) {
			f.Background = &onboarding.Background{Responses: []onboarding.Response{answer(convicted, "no"), answer(since, "2020-02-29"), answer(carrier, "None")}}
		}, []string{"background.responses." + convicted, "background.responses." + since, "background.responses." + carrier}},
}

func fields(l problem.List) []string {
	var all []string
	for _, p := range l {
		all = append(all, strings.Join(p.Field, "."))
	}
	return all
}

func check(t *testing.T, what string, f *onboarding.Form, p *onboarding.Published, want ...string) problem.List {
	t.Helper()
	got := onboarding.ValidateForm(f, p)
	if !slices.Equal(fields(got), want) {
		t.Errorf("%s: %v, want %v", what, fields(got), want)
	}
	return got
}

// "Configuration flags of GET /app-configuration and what each makes mandatory at
// validation" (Agent Onboarding): on and missing names the field, on and present
// passes, off is not asked.
func TestEachFlagMakesItsFieldMandatory(t *testing.T) {
	var all []func(*onboarding.Configuration)
	var everything []string
	complete := bare()
	for _, c := range flagCases {
		t.Run(c.flag, func(t *testing.T) {
			for _, p := range check(t, "on and missing", bare(), content(c.on), c.missing...) {
				if p.Category != problem.Validation {
					t.Errorf("%v: category %s", p.Field, p.Category)
				}
				if p.Details["requiredBy"] != c.flag || p.Details["configurationVersion"] != 3 {
					t.Errorf("%v does not say why it is required: %v", p.Field, p.Details)
				}
			}
			present := bare()
			c.present(present)
			check(t, "on and present", present, content(c.on))
			check(t, "off and missing", bare(), content())
			check(t, "off and present", present, content())
		})
		all, everything = append(all, c.on), append(everything, c.missing...)
		c.present(complete)
	}
	check(t, "every missing field is named at once", bare(), content(all...), everything...)
	check(t, "complete", complete, content(all...))
}

// "recruiterAgentCode, firstName, lastName and emailAddress … are always checked"
// (Agent Onboarding).
func TestTheMinimumIsAlwaysChecked(t *testing.T) {
	check(t, "nothing", &onboarding.Form{FirstName: " "}, content(), "recruiterAgentCode", "firstName", "lastName", "emailAddress")
}

// "marital status (and spouse details where applicable)": first and last name for
// who is married or in a domestic partnership.
func TestSpouseDetailsWhereApplicable(t *testing.T) {
	p := content(func(c *onboarding.Configuration) { c.CollectMaritalInfo = true })
	for status, missing := range map[string][]string{
		"MARRIED": {"spouse.firstName", "spouse.lastName"}, "DOMESTIC_PARTNERSHIP": {"spouse.firstName", "spouse.lastName"},
		"SINGLE": nil, "SEPARATED": nil, "DIVORCED": nil, "WIDOWED": nil,
	} {
		f := bare()
		f.MaritalStatus = &status
		check(t, status, f, p, missing...)
		f.Spouse = &onboarding.Spouse{FirstName: new("Eva"), LastName: new("Diaz")}
		check(t, status+" with a spouse", f, p)
	}
	f := bare()
	f.MaritalStatus, f.Spouse = new("MARRIED"), &onboarding.Spouse{FirstName: new("Eva")}
	check(t, "half a spouse", f, p, "spouse.lastName")
}

// Of a section that is there, what it lacks is named.
func TestSectionsAreComplete(t *testing.T) {
	item := func(number *string) []onboarding.License {
		return []onboarding.License{{Type: "LIFE", Jurisdiction: "US-TX", LicenseNumber: number}}
	}
	for what, c := range map[string]struct {
		on      func(*onboarding.Configuration)
		set     func(*onboarding.Form)
		missing []string
	}{
		"half an address": {func(c *onboarding.Configuration) { c.CollectHomeAddress = true },
			func(f *onboarding.Form) { f.HomeAddress = &onboarding.Address{City: new("Austin")} },
			[]string{"homeAddress.address1", "homeAddress.jurisdiction", "homeAddress.postalCode"}},
		"a phone without number": {func(c *onboarding.Configuration) { c.CollectCellPhone = true },
			func(f *onboarding.Form) { f.CellPhone = &onboarding.Phone{AreaCode: new("512")} }, []string{"cellPhone.phoneNumber"}},
		"an identifier of three digits": {func(c *onboarding.Configuration) { c.CollectTaxID = true },
			func(f *onboarding.Form) { f.GovernmentIdentifier = new("1-2-3") }, []string{"governmentIdentifier"}},
		"licences unsaid": {func(c *onboarding.Configuration) { c.CollectLicenseInfo = true },
			func(f *onboarding.Form) { f.Licenses = &onboarding.Licenses{NPN: new("1")} }, []string{"licenses.isCurrentlyLicensed"}},
		"licensed, none listed": {func(c *onboarding.Configuration) { c.CollectLicenseInfo = true },
			func(f *onboarding.Form) { f.Licenses = &onboarding.Licenses{IsCurrentlyLicensed: new(true)} }, []string{"licenses.items"}},
		"licence without number": {func(c *onboarding.Configuration) { c.CollectLicenseInfo = true },
			func(f *onboarding.Form) { f.Licenses = &onboarding.Licenses{Items: item(nil)} }, []string{"licenses.items.0.licenseNumber"}},
		"one of two licences is enough": {func(c *onboarding.Configuration) { c.CollectLicenseInfo = true },
			func(f *onboarding.Form) {
				f.Licenses = &onboarding.Licenses{Items: append(item(nil), item(new("77"))...)}
			}, nil},
		"employed, none listed": {func(c *onboarding.Configuration) { c.CollectEmploymentInfo = true },
			func(f *onboarding.Form) { f.Employment = &onboarding.Employment{IsCurrentlyEmployed: new(true)} }, []string{"employment.items"}},
		"employment unsaid": {func(c *onboarding.Configuration) { c.CollectEmploymentInfo = true },
			func(f *onboarding.Form) { f.Employment = &onboarding.Employment{HasNonCompete: new(true)} }, []string{"employment.isCurrentlyEmployed"}},
		"employed, one listed": {func(c *onboarding.Configuration) { c.CollectEmploymentInfo = true },
			func(f *onboarding.Form) {
				f.Employment = &onboarding.Employment{Items: []onboarding.Employer{{Employer: "Acme"}}}
			}, nil},
		"a W9 of which no agent's can be made": {func(c *onboarding.Configuration) { c.CollectTaxInfo = true },
			func(f *onboarding.Form) { f.W9 = &onboarding.W9{SSN: new("123456789")} }, []string{"w9.taxpayerName", "w9.classification"}},
		"an LLC that does not say how it is taxed": {func(c *onboarding.Configuration) { c.CollectTaxInfo = true },
			func(f *onboarding.Form) {
				f.W9 = &onboarding.W9{TaxpayerName: new("Diaz LLC"), Classification: new("LLC")}
			}, []string{"w9.llcClassification"}},
	} {
		f := bare()
		c.set(f)
		check(t, what, f, content(c.on), c.missing...)
	}
}

// "CollectContract: a signed contract … with every published covenant affirmed";
// affirmed are true, yes, agree, affirmed and 1 in any case. A signature on an
// older version does not count, and the answer says which is current.
func TestTheCurrentContractIsSignedCovenantByCovenant(t *testing.T) {
	p := content(func(c *onboarding.Configuration) { c.CollectContract = true })
	for value, affirms := range map[string]bool{"true": true, "YES": true, "Agree": true, " affirmed ": true, "1": true, "no": false, "false": false, "": false, "y": false} {
		f := bare()
		f.Contract = signed(signedID)
		f.Contract.Responses[0] = answer(honest, value)
		var want []string
		if !affirms {
			want = []string{"contract.responses." + honest}
		}
		check(t, value, f, p, want...)
	}
	f := bare()
	f.Contract = signed("77777777-7777-7777-8777-777777777777")
	got := check(t, "outdated", f, p, "contract.versionId")
	if got[0].Code != problem.ContractOutdated || got[0].Details["currentVersionId"] != signedID || got[0].Details["currentVersionNumber"] != 2 {
		t.Errorf("outdated: %+v", got[0])
	}
	f.Contract = signed(strings.ToUpper(signedID))
	f.Contract.Signature = " "
	check(t, "blank signature", f, p, "contract.signature")
	f.Contract.Signature, p.Contract = "Ana Diaz", nil
	check(t, "nothing to sign", f, p, "contract")
}

// "CollectPersonalHistory: an answer to every published background question; and,
// if background.requiresApproval is true, the approval". An answer counts when it
// is valid for the type of the question; the ones that ask for it are explained.
func TestEveryPublishedQuestionIsAnswered(t *testing.T) {
	p := content(func(c *onboarding.Configuration) { c.CollectPersonalHistory = true })
	answered := func(values ...string) *onboarding.Form {
		f := bare()
		f.Background = &onboarding.Background{}
		for i, id := range []string{convicted, since, carrier} {
			f.Background.Responses = append(f.Background.Responses, answer(id, values[i]))
		}
		return f
	}
	check(t, "blank", answered(" ", "2020-01-01", "None"), p, "background.responses."+convicted)
	for _, p := range check(t, "invalid for the type", answered("perhaps", "2021-02-29", "All"), p,
		"background.responses."+convicted, "background.responses."+since, "background.responses."+carrier) {
		if p.Code != problem.InvalidFormat {
			t.Errorf("%v: %s", p.Field, p.Code)
		}
	}
	explained := answered("TRUE", "2020-01-01", "some")
	if got := check(t, "unexplained", explained, p, "background.notes"); !slices.Equal(got[0].Details["explains"].([]string), []string{convicted, carrier}) {
		t.Errorf("what is to be explained: %v", got[0].Details)
	}
	explained.Background.Notes = new("A long time ago.")
	check(t, "explained", explained, p)
	explained.Background.RequiresApproval = true
	check(t, "not approved", explained, p, "background.approved")
	explained.Background.Approved = true
	check(t, "approved", explained, p)
}

// "Responses are matched by contentItemVersionId; responses to versions that are
// no longer published are ignored during validation" (Application).
func TestResponsesToOldVersionsAreIgnored(t *testing.T) {
	p := content(func(c *onboarding.Configuration) { c.CollectPersonalHistory, c.CollectContract = true, true })
	f := bare()
	f.Contract = signed(signedID)
	f.Background = &onboarding.Background{Responses: []onboarding.Response{answer(convicted, "no"), answer(since, "2020-01-01"), answer(carrier, "None"),
		answer("99999999-9999-7999-8999-999999999999", "not even valid")}}
	f.Contract.Responses = append(f.Contract.Responses, answer("99999999-9999-7999-8999-999999999998", "no"))
	check(t, "an old answer beside", f, p)
	p.Questions[0].UID = "88888888-8888-7888-8888-888888888888"
	got := check(t, "published anew", f, p, "background.responses."+p.Questions[0].UID)
	if !strings.Contains(got[0].Message, "2026-06-01") {
		t.Errorf("it does not say since when the question is asked: %s", got[0].Message)
	}
}
