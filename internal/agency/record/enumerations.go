package record

import "github.com/uplinehq/upline/internal/enum"

// The enumerations of agents. Wherever a text comes from, the Parse of a set turns it
// into a value. The schema and the tables have the same values (app,
// TestEnumerations).
type (
	// CertificationStatus is a status of a certification (Certification statuses).
	CertificationStatus string
	// CertificationCategory groups the types of certifications.
	CertificationCategory string
	// TaxClassification is the classification of a W9. An LLC's says how it is taxed.
	TaxClassification string
	// BankCountry is the country of a bank account.
	BankCountry string
	// BankAccountType is a kind of bank account.
	BankAccountType string
	// JurisdictionKind is what a jurisdiction is in its country: a state, a province, a
	// territory.
	JurisdictionKind string
)

// The values that rules name.
const (
	// ActiveStatus is the "default status when not supplied on POST
	// /certifications: Active" (Certification statuses).
	ActiveStatus CertificationStatus = "ACTIVE"
	// PendingStatus is the status of a recruit's licences.
	PendingStatus CertificationStatus = "PENDING"

	UnitedStates BankCountry = "US"
	Canada       BankCountry = "CA"
)

// The sets of values.
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
