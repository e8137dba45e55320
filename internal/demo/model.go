package demo

import (
	"github.com/uplinehq/upline/internal/date"
)

// Options say which agency to make up.
type Options struct {
	// Agents is how many agents there are. Identifiers are unique up to
	// 4,900,000 agents.
	Agents int
	// Seed chooses among the agencies of one size.
	Seed uint64
	// Today divides the past from the future. Everything is placed relative to
	// it, so the demo is as lively next year as it is now.
	Today date.Date
	// CodePrefix begins every agent code. Empty means "A".
	CodePrefix string
}

// Agency is all there is to load. The reference data that it names is that of
// tenants.StarterReference, which every tenant begins with.
type Agency struct {
	Options Options `json:"-"`
	// Agents are ordered by start date. On every date an agent's upline has a
	// smaller index than the agent, so the tree has no cycle on any date, and
	// loading in order never meets an upline that is not there yet.
	Agents []Agent
	// Tags are the tags that agents have.
	Tags []Tag
}

// Agent is one agent with everything that belongs to it. Empty text and nil
// mean "no value".
type Agent struct {
	Code                                        string // unique; prefix and number, "A1000" the first
	FirstName, MiddleName, LastName, CommonName string
	Gender                                      string // Male, Female, NonBinary or empty
	Email                                       string // unique; at example.com or example.org
	NPN                                         string // unique; eight digits
	GovernmentIdentifier                        string // unique; written as an SSN or a SIN, never a valid one
	BirthDate                                   date.Date
	StartDate                                   date.Date // before Today
	HomeAddress                                 Address
	CellPhone                                   Phone

	// The three histories begin on StartDate and have no gap; the last period
	// of each is open-ended and may lie in the future.
	UplinePeriods    []Period[int]    // index in Agency.Agents, or NoUpline
	LevelPeriods     []Period[int]    // value of an agent level
	PayStatusPeriods []Period[string] // name of a pay status

	Certifications []Certification // one to six

	// W9Periods begin on StartDate as well. They are empty while the agent is
	// Pending, which is when papers are missing.
	W9Periods     []Period[W9]
	DirectDeposit *DirectDeposit
	Aliases       []Alias
	Tags          []string // names

	Production  []Production
	Commissions []Commission
}

// firstCode is the number in the first agent code.
const firstCode = 1000

// NoUpline stands for the missing upline of an agent at the top of a tree.
const NoUpline = -1

// Period is a value in force from a date through another, both inclusive. A nil
// Through is open-ended.
type Period[T any] struct {
	Value   T
	From    date.Date
	Through *date.Date
}

// Address is a postal address in a real town; the street is made up.
type Address struct {
	Line1, City  string
	Jurisdiction string // id of a jurisdiction
	PostalCode   string
	Country      string // US or CA
}

// Phone is a telephone number in the North American plan, country code 1.
type Phone struct {
	AreaCode, PhoneNumber string
}

// Certification is a credential of an agent. Type, provider company,
// jurisdiction and identifier together differ between an agent's
// certifications, as the matching rules of the specification (Certifications)
// ask.
type Certification struct {
	Type            string // code of a certification type
	ProviderCompany string // code of a provider company, or empty
	Jurisdiction    string // id of a jurisdiction, or empty
	Identifier      string // licence, certificate, policy or writing number, or empty
	IsResident      bool
	IsVerified      bool
	Note            string
	// Periods do not overlap. Their values are the certification statuses of
	// the specification, as GraphQL spells them: ADMINISTRATIVE_SUSPENSION.
	Periods []Period[string]
}

// begin returns a history of one open-ended period.
func begin[T any](value T, from date.Date) []Period[T] {
	return []Period[T]{{Value: value, From: from}}
}

// change ends the last period the day before from, and lets value begin there.
func change[T any](periods []Period[T], value T, from date.Date) []Period[T] {
	periods[len(periods)-1].Through = from.AddDays(-1).Ptr()
	return append(periods, Period[T]{Value: value, From: from})
}

// last returns the period that is open-ended.
func last[T any](periods []Period[T]) *Period[T] { return &periods[len(periods)-1] }

// on returns the value in force on a day that is not before the first period.
func on[T any](periods []Period[T], day date.Date) T {
	i := len(periods) - 1
	for periods[i].From > day {
		i--
	}
	return periods[i].Value
}
