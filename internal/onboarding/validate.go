package onboarding

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// validate returns everything that is missing or invalid in a form, given what is
// published: "the validation errors name the fields" (Agent Onboarding, "Validation
// responses"). A field is named by its path in REST; an answer or a covenant by its
// contentItemVersionId, as in background.responses.<contentItemVersionId>. A missing
// section is named itself; a section that lacks a field, by that field.
//
// It is a pure function: the same form, content and day give the same result.
func validate(f *Form, p *Published, today date.Date) problem.List {
	v := &validation{form: f, published: p}
	v.always()
	v.past(f.BirthDate, today, "birthDate")
	if f.W9 != nil {
		v.past(f.W9.EntryDate, today, "w9", "entryDate")
	}
	c := &p.Configuration
	for _, rule := range []struct {
		on   bool
		flag string
		ask  func()
	}{
		{c.CollectTaxID, "collectTaxId", func() { v.text(f.GovernmentIdentifier, "governmentIdentifier") }},
		{c.CollectBirthDate, "collectBirthDate", v.birthDate},
		{c.CollectMaritalInfo, "collectMaritalInfo", v.maritalInfo},
		{c.CollectHomeAddress, "collectHomeAddress", func() { v.address(f.HomeAddress, "homeAddress") }},
		{c.CollectCorrespondenceAddress, "collectCorrespondenceAddress", func() { v.address(f.BusinessAddress, "businessAddress") }},
		{c.CollectPrimaryPhone, "collectPrimaryPhone", func() { v.phone(f.HomePhone, "homePhone") }},
		{c.CollectCellPhone, "collectCellPhone", func() { v.phone(f.CellPhone, "cellPhone") }},
		{c.CollectLicenseInfo, "collectLicenseInfo", v.licenses},
		{c.CollectEmploymentInfo, "collectEmploymentInfo", v.employment},
		{c.CollectTaxInfo, "collectTaxInfo", v.taxInfo},
		{c.CollectContract, "collectContract", v.contract},
		{c.CollectPersonalHistory, "collectPersonalHistory", v.personalHistory},
	} {
		if rule.on {
			v.flag = rule.flag
			rule.ask()
		}
	}
	return v.problems
}

// validation is a validation under way.
type validation struct {
	form      *Form
	published *Published
	// flag is the flag that demands the checked field; empty for what is always checked.
	flag     string
	problems problem.List
}

// refuse adds a problem. If a flag demands the field, the details name the flag and the
// version of the configuration, so that a client whose recruit was complete yesterday
// learns what has changed.
func (v *validation) refuse(code problem.Code, message string, field ...string) {
	v.add(problem.Invalid(code, message, field...))
}

func (v *validation) add(p *problem.Error) {
	if v.flag != "" {
		p = p.With("requiredBy", v.flag).With("configurationVersion", v.published.Configuration.Version)
	}
	v.problems.Add(p)
}

func (v *validation) missing(field ...string) {
	message := "is required"
	if v.flag != "" {
		message = fmt.Sprintf("is required by %s of the configuration, version %d", v.flag, v.published.Configuration.Version)
	}
	v.refuse(problem.Required, message, field...)
}

// text demands a text that is not blank.
func (v *validation) text(s *string, field ...string) {
	if blank(s) {
		v.missing(field...)
	}
}

func blank(s *string) bool { return s == nil || text.Trim(*s) == "" }

// always checks what depends on no flag: "recruiterAgentCode, firstName, lastName and
// emailAddress, and format rules (maximum lengths, jurisdiction pattern), are always
// checked". That check also normalises, so it works on a copy of the form.
func (v *validation) always() {
	v.problems.Add(problem.From(v.form.copied().check())...)
}

// copied returns a copy of the form that shares no memory with it.
func (f *Form) copied() *Form {
	document, err := json.Marshal(f)
	c := &Form{RecruiterAgentCode: f.RecruiterAgentCode, FirstName: f.FirstName, LastName: f.LastName, EmailAddress: f.EmailAddress}
	if err == nil {
		err = json.Unmarshal(document, c)
	}
	if err != nil {
		panic(err) // forms can always be encoded: they are stored as JSON
	}
	return c
}

// past refuses a day that is still to come, which no agent could be registered with.
func (v *validation) past(d *date.Date, today date.Date, field ...string) {
	if d != nil && *d > today {
		v.problems.Add(problem.Invalid(problem.OutOfRange, "must not be in the future", field...))
	}
}

func (v *validation) birthDate() {
	if v.form.BirthDate == nil {
		v.missing("birthDate")
	}
}

// maritalInfo demands "marital status (and spouse details where applicable)": of recruits
// who are married or in a domestic partnership.
func (v *validation) maritalInfo() {
	v.text(v.form.MaritalStatus, "maritalStatus")
	if status := v.form.MaritalStatus; status == nil || *status != married && *status != domesticPartnership {
		return
	}
	spouse := v.form.Spouse
	if spouse == nil {
		spouse = new(Spouse)
	}
	v.text(spouse.FirstName, "spouse", "firstName")
	v.text(spouse.LastName, "spouse", "lastName")
}

func (v *validation) address(a *Address, field string) {
	if a == nil {
		v.missing(field)
		return
	}
	v.text(a.Address1, field, "address1")
	v.text(a.City, field, "city")
	v.text(a.Jurisdiction, field, "jurisdiction")
	v.text(a.PostalCode, field, "postalCode")
}

func (v *validation) phone(p *Phone, field string) {
	if p == nil {
		v.missing(field)
		return
	}
	v.text(p.PhoneNumber, field, "phoneNumber")
}

// licenses are complete if the recruit has none, or if one of them has a jurisdiction and
// a number.
func (v *validation) licenses() {
	l := v.form.Licenses
	switch {
	case l == nil:
		v.missing("licenses")
		return
	case l.IsCurrentlyLicensed != nil && !*l.IsCurrentlyLicensed:
		return
	case len(l.Items) == 0 && l.IsCurrentlyLicensed == nil:
		v.missing("licenses", "isCurrentlyLicensed")
		return
	case len(l.Items) == 0:
		v.missing("licenses", "items")
		return
	}
	for _, item := range l.Items {
		if !blank(&item.Jurisdiction) && !blank(item.LicenseNumber) {
			return
		}
	}
	for i, item := range l.Items {
		v.text(&item.Jurisdiction, "licenses", "items", strconv.Itoa(i), "jurisdiction")
		v.text(item.LicenseNumber, "licenses", "items", strconv.Itoa(i), "licenseNumber")
	}
}

// employment is complete if there is an employer, or the recruit is not employed.
func (v *validation) employment() {
	e := v.form.Employment
	switch {
	case e == nil:
		v.missing("employment")
	case len(e.Items) > 0, e.IsCurrentlyEmployed != nil && !*e.IsCurrentlyEmployed:
	case e.IsCurrentlyEmployed == nil:
		v.missing("employment", "isCurrentlyEmployed")
	default:
		v.missing("employment", "items")
	}
}

// taxInfo demands what the agent's W9 needs.
func (v *validation) taxInfo() {
	w := v.form.W9
	if w == nil {
		v.missing("w9")
		return
	}
	v.text(w.TaxpayerName, "w9", "taxpayerName")
	v.text(w.Classification, "w9", "classification")
	if w.lacksLLCClassification() {
		v.add(unclassifiedLLC())
	}
}
