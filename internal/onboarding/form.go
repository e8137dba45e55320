package onboarding

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/uplinehq/upline/internal/date"
)

// Form is what a recruit fills in (specification, "Application"). Its JSON, save
// for what has a column, is the encrypted document of an application. It holds
// tax ids in plain text, so it prints as nothing.
//
// The tags of its fields, and of the fields of its sections, hold what code that handles
// all of them has to know:
//
//	as      which texts or dates it may be (textRules)
//	after   the field with the first day of a period whose last day this is
//	most    how many items a list may have, and what they are
//	sealed  it is sensitive; the word says how it is masked
type Form struct {
	RecruiterAgentCode string `json:"-" as:"agentCode"`
	FirstName          string `json:"-" as:"name"`
	LastName           string `json:"-" as:"name"`
	EmailAddress       string `json:"-" as:"email"`

	MiddleName           *string     `json:"middleName,omitempty" as:"name"`
	CommonName           *string     `json:"commonName,omitempty" as:"name"`
	Suffix               *string     `json:"suffix,omitempty" as:"name"`
	GovernmentIdentifier *string     `json:"governmentIdentifier,omitempty" as:"identifier" sealed:"identifier"`
	BirthDate            *date.Date  `json:"birthDate,omitempty" as:"birthDate"`
	Gender               *string     `json:"gender,omitempty" as:"gender"`
	MaritalStatus        *string     `json:"maritalStatus,omitempty" as:"maritalStatus"`
	Spouse               *Spouse     `json:"spouse,omitempty"`
	HomeAddress          *Address    `json:"homeAddress,omitempty"`
	BusinessAddress      *Address    `json:"businessAddress,omitempty"`
	HomePhone            *Phone      `json:"homePhone,omitempty"`
	CellPhone            *Phone      `json:"cellPhone,omitempty"`
	Licenses             *Licenses   `json:"licenses,omitempty"`
	Employment           *Employment `json:"employment,omitempty"`
	W9                   *W9         `json:"w9,omitempty"`
	Background           *Background `json:"background,omitempty"`
	Contract             *Signed     `json:"contract,omitempty"`
	Dedicated            *bool       `json:"dedicated,omitempty"`
	AgentLevelValue      *int        `json:"agentLevelValue,omitempty"`
	SelectedProductID    *string     `json:"selectedProductId,omitempty" as:"product"`
	OrderID              *string     `json:"orderId,omitempty" as:"product"`
	CartID               *string     `json:"cartId,omitempty" as:"product"`
}

const redacted = "[an application]"

// Format implements fmt.Formatter: no verb shows what the form holds.
func (Form) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue implements slog.LogValuer.
func (Form) LogValue() slog.Value { return slog.StringValue(redacted) }

// Spouse is the husband, wife or partner of a recruit.
type Spouse struct {
	FirstName       *string    `json:"firstName,omitempty" as:"name"`
	LastName        *string    `json:"lastName,omitempty" as:"name"`
	BirthDate       *date.Date `json:"birthDate,omitempty" as:"birthDate"`
	EmailAddress    *string    `json:"emailAddress,omitempty" as:"email"`
	Phone           *Phone     `json:"phone,omitempty"`
	IsLicensedAgent *bool      `json:"isLicensedAgent,omitempty"`
	AgentCode       *string    `json:"agentCode,omitempty" as:"agentCode"`
}

// Address is a postal address as applications have it: "{ address1, address2,
// city, jurisdiction, postalCode }" (Application).
type Address struct {
	Address1     *string `json:"address1,omitempty" as:"text"`
	Address2     *string `json:"address2,omitempty" as:"text"`
	City         *string `json:"city,omitempty" as:"text"`
	Jurisdiction *string `json:"jurisdiction,omitempty" as:"jurisdiction"`
	PostalCode   *string `json:"postalCode,omitempty" as:"text"`
}

// Phone is a telephone number: "{ countryCode, areaCode, phoneNumber }"
// (Application).
type Phone struct {
	CountryCode *string `json:"countryCode,omitempty" as:"countryCode"`
	AreaCode    *string `json:"areaCode,omitempty" as:"areaCode"`
	PhoneNumber *string `json:"phoneNumber,omitempty" as:"phoneNumber"`
}

// Licenses are the licences that a recruit already has.
type Licenses struct {
	NPN                 *string   `json:"npn,omitempty" as:"text"`
	IsCurrentlyLicensed *bool     `json:"isCurrentlyLicensed,omitempty"`
	Items               []License `json:"items,omitempty" most:"200 licenses"`
}

// License is a licence of a recruit.
type License struct {
	Type             string     `json:"type" as:"text"`
	Jurisdiction     string     `json:"jurisdiction" as:"jurisdiction"`
	LicenseNumber    *string    `json:"licenseNumber,omitempty" as:"text"`
	IsResident       *bool      `json:"isResident,omitempty"`
	EffectiveFrom    *date.Date `json:"effectiveFrom,omitempty"`
	ExpiresOn        *date.Date `json:"expiresOn,omitempty" as:"end" after:"EffectiveFrom"`
	LinesOfAuthority []string   `json:"linesOfAuthority,omitempty" as:"text" most:"50 lines"`
}

// Employment has a recruit's present and past employers.
type Employment struct {
	IsCurrentlyEmployed *bool      `json:"isCurrentlyEmployed,omitempty"`
	HasNonCompete       *bool      `json:"hasNonCompete,omitempty"`
	Items               []Employer `json:"items,omitempty" most:"50 employers"`
}

// Employer is an employer of a recruit.
type Employer struct {
	Employer         string     `json:"employer" as:"text"`
	Position         *string    `json:"position,omitempty" as:"text"`
	StartDate        *date.Date `json:"startDate,omitempty"`
	EndDate          *date.Date `json:"endDate,omitempty" as:"end" after:"StartDate"`
	City             *string    `json:"city,omitempty" as:"text"`
	Jurisdiction     *string    `json:"jurisdiction,omitempty" as:"jurisdiction"`
	Phone            *Phone     `json:"phone,omitempty"`
	ReasonForLeaving *string    `json:"reasonForLeaving,omitempty" as:"leaving"`
	MayContact       *bool      `json:"mayContact,omitempty"`
}

// W9 is the W9 of a recruit, with the names that the specification gives it in
// applications.
type W9 struct {
	TaxpayerName        *string    `json:"taxpayerName,omitempty" as:"text"`
	BusinessName        *string    `json:"businessName,omitempty" as:"text"`
	Classification      *string    `json:"classification,omitempty" as:"w9Classification"`
	LLCClassification   *string    `json:"llcClassification,omitempty" as:"llcClassification"`
	OtherClassification *string    `json:"otherClassification,omitempty" as:"text"`
	ExemptPayee         *string    `json:"exemptPayee,omitempty" as:"exemptPayee"`
	Address             *string    `json:"address,omitempty" as:"text"`
	City                *string    `json:"city,omitempty" as:"text"`
	Jurisdiction        *string    `json:"jurisdiction,omitempty" as:"jurisdiction"`
	PostalCode          *string    `json:"postalCode,omitempty" as:"text"`
	SSN                 *string    `json:"ssn,omitempty" as:"identifier" sealed:"identifier"`
	EIN                 *string    `json:"ein,omitempty" as:"identifier" sealed:"identifier"`
	AccountNumbers      *string    `json:"accountNumbers,omitempty" as:"text" sealed:"number"`
	Signature           *string    `json:"signature,omitempty" as:"signature" sealed:"nothing"`
	EntryDate           *date.Date `json:"entryDate,omitempty"`
}

// Background has the answers to the background questions.
type Background struct {
	Notes            *string    `json:"notes,omitempty" as:"notes"`
	RequiresApproval bool       `json:"requiresApproval,omitempty"`
	Approved         bool       `json:"approved,omitempty"`
	Responses        []Response `json:"responses,omitempty" most:"500 responses"`
}

// Signed is the contract as a recruit signed it: "versionId, agreementDate and
// signature are required when a contract is supplied" (Application).
type Signed struct {
	VersionID       string     `json:"versionId" as:"contentID"`
	AgreementDate   date.Date  `json:"agreementDate"`
	Signature       string     `json:"signature" as:"signature" sealed:"nothing"`
	ClientIPAddress *string    `json:"clientIpAddress,omitempty" as:"ip"`
	Responses       []Response `json:"responses,omitempty" most:"500 responses"`
}

// Response is an answer to a published question, or the affirmation of a
// published covenant: "{ contentItemVersionId, responseValue }" (Application).
type Response struct {
	ContentItemVersionID string  `json:"contentItemVersionId" as:"contentID"`
	ResponseValue        *string `json:"responseValue,omitempty" as:"answer"`
}
