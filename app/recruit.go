package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// onboardingAgency is the agency area in the form that onboarding needs: neither area
// knows the other.
type onboardingAgency struct{ *agency.Service }

// This file translates an application into the words of the agency, and the refusals of
// the agency into those of the application.

// Recruit implements onboarding.Agency.
func (a onboardingAgency) Recruit(ctx context.Context, tx *store.Tx, now time.Time, r onboarding.Recruit) (int64, string, error) {
	today := a.Today(ctx)
	id, code, err := a.Service.Recruit(ctx, tx, now, registration(r), certifications(r.Form.Licenses, today))
	if refused := problem.From(err); refused != nil {
		return 0, "", inApplication(refused, r.Form)
	}
	return id, code, err
}

func registration(r onboarding.Recruit) agency.Registration {
	f := r.Form
	in := agency.Registration{
		AgentCode: r.AgentCode,
		Details: agency.Details{
			FirstName: patch.Set(f.FirstName), MiddleName: patch.Of(f.MiddleName), LastName: patch.Set(f.LastName), CommonName: patch.Of(f.CommonName), Suffix: patch.Of(f.Suffix),
			BirthDate: patch.Of(f.BirthDate), Gender: patch.Of(gender(f.Gender)), Email: patch.Set(f.EmailAddress), IsDedicated: patch.Of(f.Dedicated),
		},
		Status: r.PayStatus, GovernmentIdentifier: f.GovernmentIdentifier, Contact: contact(f), W9: w9(f.W9), Initiator: r.Initiator,
		Teams: []agency.TeamAssignment{{Team: record.DefaultTeam, DirectUpline: &f.RecruiterAgentCode, Level: r.Level}},
	}
	if f.Licenses != nil {
		in.NPN = patch.Of(f.Licenses.NPN)
	}
	return in
}

// gender translates the gender of an agent, which is free text, to the spelling of REST:
// NON_BINARY is NonBinary.
func gender(value *string) *string {
	if value == nil {
		return nil
	}
	return new(enum.Spelled(*value))
}

func contact(f *onboarding.Form) agency.Contact {
	c := agency.Contact{Addresses: map[agency.AddressKind]*agency.Address{}, Phones: map[agency.PhoneKind]*agency.Phone{}}
	for kind, a := range map[agency.AddressKind]*onboarding.Address{agency.HomeAddress: f.HomeAddress, agency.BusinessAddress: f.BusinessAddress} {
		if a != nil {
			c.Addresses[kind] = &agency.Address{Line1: patch.Of(a.Address1), Line2: patch.Of(a.Address2), City: patch.Of(a.City),
				Jurisdiction: patch.Of(a.Jurisdiction), PostalCode: patch.Of(a.PostalCode), Country: patch.Of(country(a.Jurisdiction))}
		}
	}
	for kind, p := range map[agency.PhoneKind]*onboarding.Phone{agency.HomePhone: f.HomePhone, agency.CellPhone: f.CellPhone} {
		// A phone without a number is not passed on.
		if p != nil && p.PhoneNumber != nil && text.Trim(*p.PhoneNumber) != "" {
			c.Phones[kind] = &agency.Phone{CountryCode: patch.Of(p.CountryCode), AreaCode: patch.Of(p.AreaCode), PhoneNumber: patch.Set(*p.PhoneNumber)}
		}
	}
	return c
}

// country is the country of a jurisdiction, which is "XX-XX": US-TX is in US.
func country(jurisdiction *string) *string {
	if jurisdiction == nil {
		return nil
	}
	code, _, found := strings.Cut(*jurisdiction, "-")
	if !found {
		return nil
	}
	return &code
}

func w9(w *onboarding.W9) *payee.W9Details {
	if w == nil {
		return nil
	}
	return &payee.W9Details{
		Name: patch.Given(w.TaxpayerName), BusinessName: patch.Of(w.BusinessName), TaxClassification: patch.Given(taxClassification(w)), ExemptPayee: patch.Of(w.ExemptPayee),
		Address:       payee.W9Address{StreetAddress: patch.Of(w.Address), City: patch.Of(w.City), State: patch.Of(w.Jurisdiction), ZipCode: patch.Of(w.PostalCode)},
		AccountNumber: patch.Of(w.AccountNumbers), TaxpayerIdentifier: patch.Of(w.TaxpayerIdentifier()), Signature: patch.Of(w.Signature), SignatureDate: patch.Of(w.EntryDate),
	}
}

// taxClassification is the tax classification of an agent's W9. For an LLC it also says
// how the LLC is taxed: LLC and S make LLC_S. The agency checks the result.
func taxClassification(w *onboarding.W9) *string {
	if w.Classification == nil || *w.Classification != onboarding.LLC || w.LLCClassification == nil {
		return w.Classification
	}
	return new(onboarding.LLC + "_" + *w.LLCClassification)
}

// recruitStatus is the status of a new agent's certifications. A licence is only what the
// recruit says until somebody has verified it, whereas "Active (in good standing)"
// (Certification statuses) counts for commissions.
const recruitStatus = record.PendingStatus

// certifications translates the licences. One that has ended and has no first day gets
// its last day as its first.
func certifications(l *onboarding.Licenses, today date.Date) []certification.Upsert {
	if l == nil {
		return nil
	}
	all := make([]certification.Upsert, len(l.Items))
	for i, item := range l.Items {
		from := item.EffectiveFrom
		if through := item.ExpiresOn; from == nil && through != nil && *through < today {
			from = through
		}
		all[i] = certification.Upsert{
			Type: item.Type, Jurisdiction: &item.Jurisdiction, Identifier: item.LicenseNumber, Status: new(string(recruitStatus)),
			Details: certification.Details{IsResidentCertification: patch.Of(item.IsResident)}, EffectiveFrom: from, EffectiveThrough: item.ExpiresOn,
		}
	}
	return all
}

// fieldsOfApplication maps the fields of a registration to those of an application.
// Fields without an entry have the same name in both.
var fieldsOfApplication = map[string]string{
	"teams.0.membership.directUpline": "recruiterAgentCode", "teams.0.membership.level": "agentLevelValue", "status": "payStatus",
	"email": "emailAddress", "npn": "licenses.npn", "isDedicated": "dedicated",
	"homeAddress.line1": "homeAddress.address1", "homeAddress.line2": "homeAddress.address2",
	"businessAddress.line1": "businessAddress.address1", "businessAddress.line2": "businessAddress.address2",
	"w9.name": "w9.taxpayerName", "w9.taxClassification": "w9.classification", "w9.address.streetAddress": "w9.address",
	"w9.address.city": "w9.city", "w9.address.state": "w9.jurisdiction", "w9.address.zipCode": "w9.postalCode",
	"w9.accountNumber": "w9.accountNumbers", "w9.taxpayerIdentifier": "w9.ein", "w9.signatureDate": "w9.entryDate",
}

// fieldsOfLicense maps the fields of a certification to those of a licence.
var fieldsOfLicense = map[string]string{"identifier": "licenseNumber", "isResidentCertification": "isResident", "effectiveThrough": "expiresOn"}

// inApplication replaces the fields in the problems of a registration by those of the
// application.
func inApplication(refused problem.List, f *onboarding.Form) problem.List {
	for i, p := range refused {
		c := *p
		c.Field = applicationField(c.Field, f)
		refused[i] = &c
	}
	return refused
}

func applicationField(field []string, f *onboarding.Form) []string {
	if len(field) > 1 && field[0] == "certifications" {
		path := slices.Clone(field[2:])
		if len(path) > 0 && fieldsOfLicense[path[0]] != "" {
			path[0] = fieldsOfLicense[path[0]]
		}
		return append([]string{"licenses", "items", field[1]}, path...)
	}
	path := strings.Join(field, ".")
	if path == "w9.taxpayerIdentifier" && f.W9.TaxpayerIdentifier() == f.W9.SSN {
		return []string{"w9", "ssn"}
	}
	if name := fieldsOfApplication[path]; name != "" {
		return strings.Split(name, ".")
	}
	return field
}

// staysInApplication says of each field of an application that its agent has not why that is
// so. The application keeps all of them.
var staysInApplication = map[string]string{
	"maritalStatus":                   "the record of an agent has none",
	"spouse":                          "the record of an agent has none",
	"licenses.isCurrentlyLicensed":    "the agent's certifications say so",
	"licenses.items.linesOfAuthority": "a certification has none; each line that counts is a certification of its own",
	"employment":                      "it is asked about before the agent is taken on",
	"w9.otherClassification":          "a W9 of an agent has only the classification OTHER",
	"background":                      "it is asked about before the agent is taken on",
	"contract":                        "the signed contract is kept with the application",
	"selectedProductId":               "it belongs to the order of the application",
	"orderId":                         "it belongs to the order of the application",
	"cartId":                          "it belongs to the order of the application",
}
