package onboarding

import (
	"github.com/uplinehq/upline/internal/enum"
)

// The enumerations of applications and of published content. Parse of a set turns a text
// into a value; the schema and the tables have the same values (app,
// TestEnumerations).
type (
	// Status is the status of an application (Application statuses).
	Status string
	// Gender is the gender of a recruit.
	Gender string
	// MaritalStatus is the marital status of a recruit.
	MaritalStatus string
	// W9Classification is the tax classification that a recruit chooses.
	W9Classification string
	// LLCClassification is how an LLC is taxed: as a C corporation, an S
	// corporation or a partnership.
	LLCClassification string
	// ResponseType is the type of the answers to a question.
	ResponseType string
	// BodyFormat is the format of a contract's body.
	BodyFormat string
)

// The statuses.
const (
	Active    Status = "ACTIVE"
	Hold      Status = "HOLD"
	Complete  Status = "COMPLETE"
	Paid      Status = "PAID"
	Processed Status = "PROCESSED"
	Rejected  Status = "REJECTED"
)

// The types of answers.
const (
	BooleanResponse      = "BOOLEAN"
	TextResponse         = "TEXT"
	DateResponse         = "DATE"
	SingleChoiceResponse = "SINGLE_CHOICE"
)

// The formats of contracts.
const (
	MarkdownBody = "markdown"
	TextBody     = "text"
)

// Values that rules speak of.
const (
	married             = "MARRIED"
	domesticPartnership = "DOMESTIC_PARTNERSHIP"

	// LLC is the classification that llcClassification belongs to.
	LLC = "LLC"
)

// The values.
var (
	Statuses           = enum.Of(Active, Hold, Complete, Paid, Processed, Rejected)
	Genders            = enum.Of[Gender]("MALE", "FEMALE", "NON_BINARY", "UNSPECIFIED")
	MaritalStatuses    = enum.Of[MaritalStatus]("SINGLE", married, domesticPartnership, "SEPARATED", "DIVORCED", "WIDOWED")
	W9Classifications  = enum.Of[W9Classification]("INDIVIDUAL", "SOLE_PROPRIETOR", "C_CORPORATION", "S_CORPORATION", "PARTNERSHIP", "TRUST_ESTATE", LLC, "OTHER")
	LLCClassifications = enum.Of[LLCClassification]("C", "S", "P")
	ResponseTypes      = enum.Of[ResponseType](BooleanResponse, TextResponse, DateResponse, SingleChoiceResponse)
	BodyFormats        = enum.Of[BodyFormat](MarkdownBody, TextBody)
)
