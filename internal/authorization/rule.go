// Package authorization answers whether an agent may sell a product in a jurisdiction on a
// day, as it is known now or was known at an instant; if not, why not; through which
// uplines; and until when. What it takes is a table: each product has rules, each rule
// requirements from a day to a day. All rules in force that cover the jurisdiction must be
// met. Nobody may sell what no rule is about.
//
// The engine (judge.go) is a pure function of a snapshot of rows; whoever asks another
// question about licences and pay statuses, such as who can be paid, asks it too.
package authorization

import (
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
)

// Requirement is what a rule requires. The zero value requires nothing, which ends a rule.
type Requirement struct {
	// Jurisdictions are those that the rule covers, in order, with commas between them;
	// empty for all. CertificationTypes are the same of types.
	Jurisdictions, CertificationTypes string
	// All is true if a certification of each type is required, and not of any.
	All bool
	// Residence says which certifications count.
	Residence Residence
	// ProviderCompany is the company whose appointment is required; empty for none.
	ProviderCompany string
	// ActiveStatus is true if the pay status must count as active.
	ActiveStatus bool
	// HasLevel is true if a level of at least MinimumLevel is required.
	HasLevel     bool
	MinimumLevel int
	// UplineDepth is how many uplines above the agent must meet the same; 0 for none.
	UplineDepth int
}

// Residence says which certifications count.
type Residence int8

// The residences.
const (
	AnyResidence Residence = iota
	Resident
	NonResident
)

// MaxUplineDepth bounds UplineDepth.
const MaxUplineDepth = 64

// IsEmpty reports whether the requirement requires nothing.
func (r Requirement) IsEmpty() bool {
	return r.CertificationTypes == "" && r.ProviderCompany == "" && !r.ActiveStatus && !r.HasLevel
}

// Joined writes codes as a Requirement has them.
func Joined(codes []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(codes))), ",")
}

// Split returns the codes of a text that Joined wrote.
func Split(codes string) []string {
	if codes == "" {
		return []string{}
	}
	return strings.Split(codes, ",")
}

// Rule is a rule of a product with what it requires in a period.
type Rule struct {
	Product, Name string
	Requirement
	From    date.Date
	Through *date.Date
	// payable is true if the agent must be payable.
	payable bool
	// places and types are the lists of the requirement.
	places, types []string
}

// Read returns the rule with the lists of its requirement split, as a Snapshot holds it.
func (r Rule) Read() Rule {
	r.places, r.types = Split(r.Jurisdictions), Split(r.CertificationTypes)
	return r
}

// Payable is the rule that the agent is payable, and a certification of any of the types
// active.
func Payable(types []string) Rule {
	return Rule{types: anyOf(types), payable: true}
}

// Licensed is the rule that a certification of any of the types is active.
func Licensed(types []string) Rule { return Rule{types: anyOf(types)} }

// anyOf are the types, or one that no certification has: none of none is active.
func anyOf(types []string) []string {
	if len(types) == 0 {
		return []string{""}
	}
	return types
}

// isInForce reports whether the rule requires something in a place on a day.
func (r *Rule) isInForce(place string, day date.Date) bool {
	return r.From <= day && day <= date.OrMax(r.Through) && r.covers(place) && !r.IsEmpty()
}

func (r *Rule) covers(place string) bool {
	return len(r.places) == 0 || slices.Contains(r.places, place)
}

// Status says whether an agent may sell.
type Status string

// The statuses.
const (
	Authorized    Status = "AUTHORIZED"
	NotAuthorized Status = "NOT_AUTHORIZED"
)

// Statuses are all statuses.
var Statuses = enum.Of(Authorized, NotAuthorized)

// Code says why an agent may not sell.
type Code string

// The codes.
const (
	NoRequirements         Code = "NO_REQUIREMENTS"
	NoPayStatus            Code = "NO_PAY_STATUS"
	PayStatusNotActive     Code = "PAY_STATUS_NOT_ACTIVE"
	NoLevel                Code = "NO_LEVEL"
	LevelTooLow            Code = "LEVEL_TOO_LOW"
	NoCertification        Code = "NO_CERTIFICATION"
	CertificationNotActive Code = "CERTIFICATION_NOT_ACTIVE"
	CertificationLapsed    Code = "CERTIFICATION_LAPSED"
	WrongResidence         Code = "WRONG_RESIDENCE"
	NoAppointment          Code = "NO_APPOINTMENT"
	AppointmentNotActive   Code = "APPOINTMENT_NOT_ACTIVE"
	AppointmentLapsed      Code = "APPOINTMENT_LAPSED"
	UplineDeleted          Code = "UPLINE_DELETED"
	AgentDeleted           Code = "AGENT_DELETED"
	// These are why an agent is not payable, beside NoPayStatus.
	PayStatusCannotBePaid   Code = "PAY_STATUS_CANNOT_BE_PAID"
	NoW9                    Code = "NO_W9"
	NoDirectDeposit         Code = "NO_DIRECT_DEPOSIT"
	certificationUnaccepted Code = ""
)

// Codes are all codes of the answers.
var Codes = enum.Of(NoRequirements, NoPayStatus, PayStatusNotActive, NoLevel, LevelTooLow, NoCertification, CertificationNotActive, CertificationLapsed, WrongResidence,
	NoAppointment, AppointmentNotActive, AppointmentLapsed, UplineDeleted, AgentDeleted)

// Reason says what is missing of an agent or one of its uplines.
type Reason struct {
	Code Code
	// AgentCode is whom it is about: the agent, at depth 0, or an upline. It is empty for an
	// upline that the caller does not see.
	AgentCode string
	Depth     int
	// Rule is the name of the rule; empty if there is none.
	Rule string
	// CertificationTypes are the types of which one is missing, ProviderCompany is the
	// company whose appointment is, MinimumLevel the level.
	CertificationTypes []string
	ProviderCompany    string
	MinimumLevel       *int
	// CertificationID is the certification that would do if it were active; 0 for none.
	// Status is its status, or the pay status, or the level, and Since its first day; for
	// what has lapsed, the last status, and the first day without.
	CertificationID int64
	Status          string
	Since           *date.Date
}

// Mend says what would mend it.
func (r Reason) Mend() string {
	types := strings.Join(r.CertificationTypes, " or ")
	switch r.Code {
	case NoRequirements:
		return "Give the product a rule that is in force there on the day"
	case NoPayStatus, PayStatusNotActive:
		return "Give the agent a pay status that counts as active"
	case NoLevel, LevelTooLow:
		return "Give the agent the required level"
	case NoCertification:
		return "Obtain a certification: " + types
	case WrongResidence:
		return "Obtain a certification with the required residence: " + types
	case CertificationNotActive, AppointmentNotActive:
		return "Make the certification active"
	case CertificationLapsed, AppointmentLapsed:
		return "Renew the certification"
	case NoAppointment:
		return "Have the agent appointed by " + r.ProviderCompany
	}
	return "Nothing: it was deleted"
}
