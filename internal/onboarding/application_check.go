package onboarding

import (
	"net/netip"
	"reflect"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/words/check"
	"github.com/uplinehq/upline/internal/words/problem"
)

// Lengths, in characters. Those that the specification limits are quoted; the
// others keep a mistake from filling the database, and are those of agents where
// an application becomes part of one.
const (
	maxEmail        = 100  // "emailAddress (application): max 100 characters" (Limits)
	maxNotes        = 2048 // "background.notes: max 2048 characters" (Limits)
	maxName         = 100
	maxText         = 255
	maxCountryCode  = 4
	maxAreaCode     = 10
	maxPhoneNumber  = 20
	maxExemptPayee  = 10
	maxSignature    = 100
	maxAnswer       = 2000
	maxLicenses     = 200
	maxEmployers    = 50
	maxLines        = 50
	maxResponses    = 500
	maxLeaving      = 1000
	maxContentID    = 100
	maxProduct      = 100
	firstBirthYear  = 1900
	latestBirthYear = 2100
)

// formCheck collects what is wrong with a form, so that "the validation errors
// name the fields" (Agent Onboarding), all of them at once. On the way it takes
// the blanks around texts away; a text, or a section, of which nothing is left
// was not given.
type formCheck struct{ check.Problems }

// check checks a form and tidies it up.
func (f *Form) check() error {
	var c formCheck
	c.form(f)
	return c.Err()
}

// form checks "format rules (maximum lengths, jurisdiction pattern)", which "are
// always checked" (Agent Onboarding). What the recruit has not come to yet may
// be missing: whether the form is complete is a question of its own.
func (c *formCheck) form(f *Form) {
	c.required(&f.RecruiterAgentCode, check.MaxAgentCode, "recruiterAgentCode")
	c.required(&f.FirstName, maxName, "firstName")
	c.required(&f.LastName, maxName, "lastName")
	c.requiredEmail(&f.EmailAddress, "emailAddress")
	c.text(&f.MiddleName, maxName, "middleName")
	c.text(&f.CommonName, maxName, "commonName")
	c.text(&f.Suffix, maxName, "suffix")
	c.identifier(&f.GovernmentIdentifier, "governmentIdentifier")
	c.birthDate(f.BirthDate, "birthDate")
	one(c, Genders, f.Gender, "gender")
	one(c, MaritalStatuses, f.MaritalStatus, "maritalStatus")
	c.spouse(f.Spouse, "spouse")
	c.address(f.HomeAddress, "homeAddress")
	c.address(f.BusinessAddress, "businessAddress")
	c.phone(f.HomePhone, "homePhone")
	c.phone(f.CellPhone, "cellPhone")
	c.licenses(f.Licenses, "licenses")
	c.employment(f.Employment, "employment")
	c.w9(f.W9, "w9")
	c.background(f.Background, "background")
	c.contract(f.Contract, "contract")
	c.text(&f.SelectedProductID, maxProduct, "selectedProductId")
	c.text(&f.OrderID, maxProduct, "orderId")
	c.text(&f.CartID, maxProduct, "cartId")
	f.dropEmpty()
}

// dropEmpty takes out sections that say nothing.
func (f *Form) dropEmpty() {
	if f.Spouse != nil {
		orNone(&f.Spouse.Phone)
	}
	if f.Employment != nil {
		for i := range f.Employment.Items {
			orNone(&f.Employment.Items[i].Phone)
		}
	}
	orNone(&f.Spouse)
	orNone(&f.HomeAddress)
	orNone(&f.BusinessAddress)
	orNone(&f.HomePhone)
	orNone(&f.CellPhone)
	orNone(&f.Licenses)
	orNone(&f.Employment)
	orNone(&f.W9)
	orNone(&f.Background)
}

func orNone[T any](section **T) {
	if *section != nil && reflect.ValueOf(**section).IsZero() {
		*section = nil
	}
}

func (c *formCheck) spouse(s *Spouse, path ...string) {
	if s == nil {
		return
	}
	c.text(&s.FirstName, maxName, under(path, "firstName")...)
	c.text(&s.LastName, maxName, under(path, "lastName")...)
	c.birthDate(s.BirthDate, under(path, "birthDate")...)
	s.EmailAddress = c.Email(s.EmailAddress, maxEmail, under(path, "emailAddress")...)
	c.phone(s.Phone, under(path, "phone")...)
	c.text(&s.AgentCode, check.MaxAgentCode, under(path, "agentCode")...)
}

func (c *formCheck) address(a *Address, path ...string) {
	if a == nil {
		return
	}
	c.text(&a.Address1, maxText, under(path, "address1")...)
	c.text(&a.Address2, maxText, under(path, "address2")...)
	c.text(&a.City, maxText, under(path, "city")...)
	c.jurisdiction(&a.Jurisdiction, under(path, "jurisdiction")...)
	c.text(&a.PostalCode, maxText, under(path, "postalCode")...)
}

func (c *formCheck) phone(p *Phone, path ...string) {
	if p == nil {
		return
	}
	c.text(&p.CountryCode, maxCountryCode, under(path, "countryCode")...)
	c.text(&p.AreaCode, maxAreaCode, under(path, "areaCode")...)
	c.text(&p.PhoneNumber, maxPhoneNumber, under(path, "phoneNumber")...)
}

func (c *formCheck) licenses(l *Licenses, path ...string) {
	if l == nil {
		return
	}
	c.text(&l.NPN, maxText, under(path, "npn")...)
	l.Items = atMost(c, l.Items, maxLicenses, "licenses", under(path, "items")...)
	for i := range l.Items {
		item, at := &l.Items[i], under(path, "items", strconv.Itoa(i))
		c.required(&item.Type, maxText, under(at, "type")...)
		c.required(&item.Jurisdiction, maxText, under(at, "jurisdiction")...)
		if item.Jurisdiction != "" {
			c.Jurisdiction(item.Jurisdiction, under(at, "jurisdiction")...)
		}
		c.text(&item.LicenseNumber, maxText, under(at, "licenseNumber")...)
		c.InOrder(item.EffectiveFrom, item.ExpiresOn, "effectiveFrom", under(at, "expiresOn")...)
		item.LinesOfAuthority = atMost(c, item.LinesOfAuthority, maxLines, "lines", under(at, "linesOfAuthority")...)
		for j := range item.LinesOfAuthority {
			c.required(&item.LinesOfAuthority[j], maxText, under(at, "linesOfAuthority", strconv.Itoa(j))...)
		}
	}
}

func (c *formCheck) employment(e *Employment, path ...string) {
	if e == nil {
		return
	}
	e.Items = atMost(c, e.Items, maxEmployers, "employers", under(path, "items")...)
	for i := range e.Items {
		item, at := &e.Items[i], under(path, "items", strconv.Itoa(i))
		c.required(&item.Employer, maxText, under(at, "employer")...)
		c.text(&item.Position, maxText, under(at, "position")...)
		c.InOrder(item.StartDate, item.EndDate, "startDate", under(at, "endDate")...)
		c.text(&item.City, maxText, under(at, "city")...)
		c.jurisdiction(&item.Jurisdiction, under(at, "jurisdiction")...)
		c.phone(item.Phone, under(at, "phone")...)
		c.text(&item.ReasonForLeaving, maxLeaving, under(at, "reasonForLeaving")...)
	}
}

func (c *formCheck) w9(w *W9, path ...string) {
	if w == nil {
		return
	}
	c.text(&w.TaxpayerName, maxText, under(path, "taxpayerName")...)
	c.text(&w.BusinessName, maxText, under(path, "businessName")...)
	one(c, W9Classifications, w.Classification, under(path, "classification")...)
	one(c, LLCClassifications, w.LLCClassification, under(path, "llcClassification")...)
	c.text(&w.OtherClassification, maxText, under(path, "otherClassification")...)
	c.text(&w.ExemptPayee, maxExemptPayee, under(path, "exemptPayee")...)
	c.text(&w.Address, maxText, under(path, "address")...)
	c.text(&w.City, maxText, under(path, "city")...)
	c.jurisdiction(&w.Jurisdiction, under(path, "jurisdiction")...)
	c.text(&w.PostalCode, maxText, under(path, "postalCode")...)
	c.text(&w.AccountNumbers, maxText, under(path, "accountNumbers")...)
	c.identifier(&w.SSN, under(path, "ssn")...)
	c.identifier(&w.EIN, under(path, "ein")...)
	c.text(&w.Signature, maxSignature, under(path, "signature")...)
}

func (c *formCheck) background(b *Background, path ...string) {
	if b == nil {
		return
	}
	c.text(&b.Notes, maxNotes, under(path, "notes")...)
	b.Responses = c.responses(b.Responses, under(path, "responses")...)
}

// contract: "versionId, agreementDate and signature are required when a contract
// is supplied" (Application). That a date is given, the schema sees to.
func (c *formCheck) contract(s *Signed, path ...string) {
	if s == nil {
		return
	}
	c.required(&s.VersionID, maxContentID, under(path, "versionId")...)
	c.required(&s.Signature, maxSignature, under(path, "signature")...)
	c.text(&s.ClientIPAddress, maxText, under(path, "clientIpAddress")...)
	if s.ClientIPAddress != nil {
		if _, err := netip.ParseAddr(*s.ClientIPAddress); err != nil {
			c.Refuse(problem.InvalidFormat, "must be an IP address", under(path, "clientIpAddress")...)
		}
	}
	s.Responses = c.responses(s.Responses, under(path, "responses")...)
}

// responses refuses a second answer to a version: "Responses are matched by
// contentItemVersionId" (Application), and two would be one too many.
func (c *formCheck) responses(all []Response, path ...string) []Response {
	all = atMost(c, all, maxResponses, "responses", path...)
	seen := map[string]bool{}
	for i := range all {
		id, at := &all[i].ContentItemVersionID, under(path, strconv.Itoa(i))
		c.required(id, maxContentID, under(at, "contentItemVersionId")...)
		c.text(&all[i].ResponseValue, maxAnswer, under(at, "responseValue")...)
		if key := strings.ToLower(*id); seen[key] {
			c.Refuse(problem.DuplicateKey, "The version is answered twice", under(at, "contentItemVersionId")...)
		} else {
			seen[key] = true
		}
	}
	return all
}
