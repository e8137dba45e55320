package onboarding

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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

// contract demands "a signed contract (versionId, agreementDate, signature) with every
// published covenant affirmed".
func (v *validation) contract() {
	current, signed := v.published.Contract, v.form.Contract
	switch {
	case current == nil:
		v.refuse(problem.Required, "cannot be signed: no contract is published", "contract")
		return
	case signed == nil:
		v.missing("contract")
	default:
		v.signature(current, signed)
	}
	answers := responses(signed.answers())
	for _, covenant := range current.Covenants {
		if affirmed(answers[covenant.UID]) {
			continue
		}
		v.add(problem.Invalid(problem.Required, "must be affirmed: the covenant is published since "+day(current),
			"contract", "responses", covenant.UID).With("contractVersionId", current.UID))
	}
}

// signature checks which version was signed. Whether there are a versionId and a
// signature is checked in any case.
func (v *validation) signature(current *Contract, signed *Signed) {
	if blank(&signed.VersionID) || strings.EqualFold(signed.VersionID, current.UID) {
		return
	}
	v.add(problem.Invalid(problem.ContractOutdated, "is not the current version of the contract, which was published on "+day(current),
		"contract", "versionId").With("currentVersionId", current.UID).With("currentVersionNumber", current.VersionNumber))
}

func day(c *Contract) string { return c.PublishedAt.UTC().Format(time.DateOnly) }

func (s *Signed) answers() []Response {
	if s == nil {
		return nil
	}
	return s.Responses
}

// affirmed reports whether an answer affirms a covenant.
func affirmed(answer string) bool {
	return slices.Contains([]string{"true", "yes", "agree", "affirmed", "1"}, strings.ToLower(answer))
}

// responses are the answers by the version that they answer, the last of several. Answers
// to versions that are not published are never looked up: "responses to versions that are
// no longer published are ignored during validation" (Application).
func responses(all []Response) map[string]string {
	byVersion := make(map[string]string, len(all))
	for _, r := range all {
		if r.ResponseValue != nil {
			byVersion[strings.ToLower(r.ContentItemVersionID)] = text.Trim(*r.ResponseValue)
		}
	}
	return byVersion
}

// personalHistory demands "an answer to every published background question; and, if
// background.requiresApproval is true, the approval".
func (v *validation) personalHistory() {
	background := v.form.Background
	if background == nil {
		background = new(Background)
	}
	answers := responses(background.Responses)
	var explain []string
	for _, q := range v.published.Questions {
		answer := answers[q.UID]
		switch {
		case answer == "":
			v.add(problem.Invalid(problem.Required, "must be answered: this version of the question is published since "+q.PublishedAt.UTC().Format(time.DateOnly),
				"background", "responses", q.UID).With("contentItemId", q.ItemUID))
		case !q.accepts(answer):
			v.refuse(problem.InvalidFormat, "is not "+answerForms[q.ResponseType], "background", "responses", q.UID)
		case q.needsExplanation(answer):
			explain = append(explain, q.UID)
		}
	}
	if len(explain) > 0 && blank(background.Notes) {
		v.add(problem.Invalid(problem.Required, "must explain the answers that ask for it", "background", "notes").With("explains", explain))
	}
	if background.RequiresApproval && !background.Approved {
		v.add(unapproved())
	}
}

func unapproved() *problem.Error {
	return problem.Invalid(problem.Required, "The agency has to approve the background first", "background", "approved")
}

// answerForms describe the answers of each type.
var answerForms = map[string]string{
	BooleanResponse: "an answer to this question, which asks for yes or no", TextResponse: "an answer to this question",
	DateResponse: "a date in the form YYYY-MM-DD", SingleChoiceResponse: "one of the choices of this question",
}

// accepts reports whether an answer that is not blank is valid for the type of
// the question.
func (q *Question) accepts(answer string) bool {
	switch q.ResponseType {
	case BooleanResponse:
		return yesOrNo(answer) != ""
	case DateResponse:
		_, err := date.Parse(answer)
		return err == nil
	case SingleChoiceResponse:
		return slices.ContainsFunc(q.Choices, func(choice string) bool { return strings.EqualFold(text.Trim(choice), answer) })
	}
	return true
}

// needsExplanation reports whether the question demands an explanation in
// background.notes for an answer.
func (q *Question) needsExplanation(answer string) bool {
	return slices.ContainsFunc(q.RequiresExplanationWhen, func(when string) bool {
		when = text.Trim(when)
		return strings.EqualFold(when, answer) || q.ResponseType == BooleanResponse && yesOrNo(when) == yesOrNo(answer)
	})
}

// yesOrNo turns the different ways to write yes or no into yes or no; anything else
// becomes empty.
func yesOrNo(answer string) string {
	switch strings.ToLower(answer) {
	case "true", "yes", "1":
		return "yes"
	case "false", "no", "0":
		return "no"
	}
	return ""
}

// TaxpayerIdentifier is the identifier for the agent's W9: the ssn, or else the ein.
func (w *W9) TaxpayerIdentifier() *string {
	if !blank(w.SSN) {
		return w.SSN
	}
	return w.EIN
}

// lacksLLCClassification reports whether an LLC does not say how it is taxed; an agent's
// W9 has no tax classification for that.
func (w *W9) lacksLLCClassification() bool {
	return w.Classification != nil && *w.Classification == LLC && w.LLCClassification == nil
}

func unclassifiedLLC() *problem.Error {
	return problem.Invalid(problem.Required, "must be one of "+strings.Join(LLCClassifications.Texts(), ", ")+" for an LLC", "w9", "llcClassification")
}
