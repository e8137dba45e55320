package record

import "github.com/uplinehq/upline/internal/words/enum"

// The enumerations of agents. A text becomes a value of one with Parse of its
// set, wherever it comes from; the schema and the tables have the same values
// (internal/app, TestEnumerations).
type (
	// CertificationStatus is a status of a certification (Certification statuses).
	CertificationStatus string
	// CertificationCategory is what kind of certification a type is.
	CertificationCategory string
	// TaxClassification is that of a W9: an LLC says how it is taxed.
	TaxClassification string
	// BankCountry is the country of a bank account.
	BankCountry string
	// BankAccountType is the kind of a bank account.
	BankAccountType string
	// JurisdictionKind is what a jurisdiction is in its country.
	JurisdictionKind string
)

// Values that rules speak of.
const (
	// ActiveStatus is the "default status when not supplied on POST
	// /certifications: Active" (Certification statuses).
	ActiveStatus CertificationStatus = "ACTIVE"
	// PendingStatus is that of the licences of a recruit.
	PendingStatus CertificationStatus = "PENDING"

	UnitedStates BankCountry = "US"
	Canada       BankCountry = "CA"
)

// The values.
var (
	CertificationStatuses = enum.Of(ActiveStatus, PendingStatus, "HELD", "SUSPENDED", "ADMINISTRATIVE_SUSPENSION", "REGULATORY_SUSPENSION",
		"EXPIRED", "REJECTED", "TERMINATED", "RETIRED")
	CertificationCategories = enum.Of[CertificationCategory]("LICENSE", "APPOINTMENT", "TRAINING", "OTHER")
	TaxClassifications      = enum.Of[TaxClassification]("INDIVIDUAL", "SOLE_PROPRIETOR", "C_CORPORATION", "S_CORPORATION", "PARTNERSHIP",
		"TRUST_ESTATE", "LLC_C", "LLC_S", "LLC_P", "OTHER")
	BankCountries     = enum.Of(UnitedStates, Canada)
	BankAccountTypes  = enum.Of[BankAccountType]("CHECKING", "SAVINGS")
	JurisdictionKinds = enum.Of[JurisdictionKind]("State", "Province", "Territory", "District")
)
