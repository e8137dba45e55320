package onboarding

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/uplinehq/upline/internal/words/date"
)

// Form is what a recruit fills in (specification, "Application"). Its JSON, save
// for what has a column, is the encrypted document of an application. It holds
// tax ids in plain text, so it prints as nothing.
type Form struct {
	RecruiterAgentCode string `json:"-"`
	FirstName          string `json:"-"`
	LastName           string `json:"-"`
	EmailAddress       string `json:"-"`

	MiddleName           *string     `json:"middleName,omitempty"`
	CommonName           *string     `json:"commonName,omitempty"`
	Suffix               *string     `json:"suffix,omitempty"`
	GovernmentIdentifier *string     `json:"governmentIdentifier,omitempty"`
	BirthDate            *date.Date  `json:"birthDate,omitempty"`
	Gender               *string     `json:"gender,omitempty"`
	MaritalStatus        *string     `json:"maritalStatus,omitempty"`
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
	SelectedProductID    *string     `json:"selectedProductId,omitempty"`
	OrderID              *string     `json:"orderId,omitempty"`
	CartID               *string     `json:"cartId,omitempty"`
}

const redacted = "[an application]"

// Format implements fmt.Formatter: no verb shows what the form holds.
func (Form) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue implements slog.LogValuer.
func (Form) LogValue() slog.Value { return slog.StringValue(redacted) }

// Spouse is the husband, wife or partner of a recruit.
type Spouse struct {
	FirstName       *string    `json:"firstName,omitempty"`
	LastName        *string    `json:"lastName,omitempty"`
	BirthDate       *date.Date `json:"birthDate,omitempty"`
	EmailAddress    *string    `json:"emailAddress,omitempty"`
	Phone           *Phone     `json:"phone,omitempty"`
	IsLicensedAgent *bool      `json:"isLicensedAgent,omitempty"`
	AgentCode       *string    `json:"agentCode,omitempty"`
}

// Address is a postal address as applications have it: "{ address1, address2,
// city, jurisdiction, postalCode }" (Application).
type Address struct {
	Address1     *string `json:"address1,omitempty"`
	Address2     *string `json:"address2,omitempty"`
	City         *string `json:"city,omitempty"`
	Jurisdiction *string `json:"jurisdiction,omitempty"`
	PostalCode   *string `json:"postalCode,omitempty"`
}

// Phone is a telephone number: "{ countryCode, areaCode, phoneNumber }"
// (Application).
type Phone struct {
	CountryCode *string `json:"countryCode,omitempty"`
	AreaCode    *string `json:"areaCode,omitempty"`
	PhoneNumber *string `json:"phoneNumber,omitempty"`
}

// Licenses are the licences a recruit has already.
type Licenses struct {
	NPN                 *string   `json:"npn,omitempty"`
	IsCurrentlyLicensed *bool     `json:"isCurrentlyLicensed,omitempty"`
	Items               []License `json:"items,omitempty"`
}

// License is one of them.
type License struct {
	Type             string     `json:"type"`
	Jurisdiction     string     `json:"jurisdiction"`
	LicenseNumber    *string    `json:"licenseNumber,omitempty"`
	IsResident       *bool      `json:"isResident,omitempty"`
	EffectiveFrom    *date.Date `json:"effectiveFrom,omitempty"`
	ExpiresOn        *date.Date `json:"expiresOn,omitempty"`
	LinesOfAuthority []string   `json:"linesOfAuthority,omitempty"`
}

// Employment is where a recruit worked and works.
type Employment struct {
	IsCurrentlyEmployed *bool      `json:"isCurrentlyEmployed,omitempty"`
	HasNonCompete       *bool      `json:"hasNonCompete,omitempty"`
	Items               []Employer `json:"items,omitempty"`
}

// Employer is one of these places.
type Employer struct {
	Employer         string     `json:"employer"`
	Position         *string    `json:"position,omitempty"`
	StartDate        *date.Date `json:"startDate,omitempty"`
	EndDate          *date.Date `json:"endDate,omitempty"`
	City             *string    `json:"city,omitempty"`
	Jurisdiction     *string    `json:"jurisdiction,omitempty"`
	Phone            *Phone     `json:"phone,omitempty"`
	ReasonForLeaving *string    `json:"reasonForLeaving,omitempty"`
	MayContact       *bool      `json:"mayContact,omitempty"`
}

// W9 is the W9 of a recruit, with the names that the specification gives it in
// applications.
type W9 struct {
	TaxpayerName        *string    `json:"taxpayerName,omitempty"`
	BusinessName        *string    `json:"businessName,omitempty"`
	Classification      *string    `json:"classification,omitempty"`
	LLCClassification   *string    `json:"llcClassification,omitempty"`
	OtherClassification *string    `json:"otherClassification,omitempty"`
	ExemptPayee         *string    `json:"exemptPayee,omitempty"`
	Address             *string    `json:"address,omitempty"`
	City                *string    `json:"city,omitempty"`
	Jurisdiction        *string    `json:"jurisdiction,omitempty"`
	PostalCode          *string    `json:"postalCode,omitempty"`
	AccountNumbers      *string    `json:"accountNumbers,omitempty"`
	SSN                 *string    `json:"ssn,omitempty"`
	EIN                 *string    `json:"ein,omitempty"`
	Signature           *string    `json:"signature,omitempty"`
	EntryDate           *date.Date `json:"entryDate,omitempty"`
}

// Background is what a recruit answers about the past.
type Background struct {
	Notes            *string    `json:"notes,omitempty"`
	RequiresApproval bool       `json:"requiresApproval,omitempty"`
	Approved         bool       `json:"approved,omitempty"`
	Responses        []Response `json:"responses,omitempty"`
}

// Signed is the contract as a recruit signed it: "versionId, agreementDate and
// signature are required when a contract is supplied" (Application).
type Signed struct {
	VersionID       string     `json:"versionId"`
	AgreementDate   date.Date  `json:"agreementDate"`
	Signature       string     `json:"signature"`
	ClientIPAddress *string    `json:"clientIpAddress,omitempty"`
	Responses       []Response `json:"responses,omitempty"`
}

// Response is an answer to a published question, or the affirmation of a
// published covenant: "{ contentItemVersionId, responseValue }" (Application).
type Response struct {
	ContentItemVersionID string  `json:"contentItemVersionId"`
	ResponseValue        *string `json:"responseValue,omitempty"`
}
