package directory

import "slices"

// Reference is the reference data of an agency (specification, Reference data).
type Reference struct {
	CertificationTypes []CertificationType
	Jurisdictions      []Jurisdiction
	PayStatuses        []PayStatus
	AgentLevels        []AgentLevel
	ProviderCompanies  []ProviderCompany
}

// CertificationType is a kind of credential.
type CertificationType struct {
	Code, Name                                    string
	Category                                      string // LICENSE, APPOINTMENT, TRAINING or OTHER
	RequiresJurisdiction, RequiresProviderCompany bool
}

// Jurisdiction is a state, province or the like that licenses agents.
type Jurisdiction struct {
	ID      string // XX-XX: country and ISO 3166-2 part
	Name    string
	Country string // US or CA
	Kind    string // State, Province, Territory or District
}

// PayStatus says whether an agent counts as active and can be paid.
type PayStatus struct {
	Name, Description   string
	IsActive, CanBePaid bool
	SortOrder           int
}

// AgentLevel is a rank of the default team; a greater value is a higher rank.
type AgentLevel struct {
	Value int
	Name  string
}

// ProviderCompany is an insurance carrier.
type ProviderCompany struct {
	Code, Name string
	NAICCode   string
}

// StarterReference returns the reference data that every new tenant begins with. The
// carriers are invented. The caller may change the result.
func StarterReference() Reference {
	return Reference{
		CertificationTypes: slices.Clone(certificationTypes),
		Jurisdictions:      slices.Clone(jurisdictions),
		PayStatuses:        slices.Clone(payStatuses),
		AgentLevels:        slices.Clone(agentLevels),
		ProviderCompanies:  slices.Clone(providerCompanies),
	}
}

var certificationTypes = []CertificationType{
	{Code: "LIFE", Name: "Life", Category: "LICENSE", RequiresJurisdiction: true},
	{Code: "HEALTH", Name: "Accident and health", Category: "LICENSE", RequiresJurisdiction: true},
	{Code: "PROPERTY", Name: "Property", Category: "LICENSE", RequiresJurisdiction: true},
	{Code: "CASUALTY", Name: "Casualty", Category: "LICENSE", RequiresJurisdiction: true},
	{Code: "PERSONAL", Name: "Personal lines", Category: "LICENSE", RequiresJurisdiction: true},
	{Code: "VARIABLE", Name: "Variable life and annuities", Category: "LICENSE", RequiresJurisdiction: true},
	{Code: "ADJUSTER", Name: "Adjuster", Category: "LICENSE", RequiresJurisdiction: true},
	{Code: "APPOINTMENT", Name: "Carrier appointment", Category: "APPOINTMENT", RequiresJurisdiction: true, RequiresProviderCompany: true},
	{Code: "AML", Name: "Anti-money-laundering training", Category: "TRAINING"},
	{Code: "ANNUITY", Name: "Annuity suitability training", Category: "TRAINING"},
	{Code: "LTC", Name: "Long-term care training", Category: "TRAINING"},
	{Code: "CE", Name: "Continuing education", Category: "TRAINING", RequiresJurisdiction: true},
	{Code: "PRODUCT", Name: "Carrier product training", Category: "TRAINING", RequiresProviderCompany: true},
	{Code: "EO", Name: "Errors and omissions insurance", Category: "OTHER"},
	{Code: "BOND", Name: "Surety bond", Category: "OTHER"},
}

var payStatuses = []PayStatus{
	{Name: "Active", Description: "Sells and is paid.", IsActive: true, CanBePaid: true, SortOrder: 10},
	{Name: "Pending", Description: "Registered; papers are missing.", SortOrder: 20},
	{Name: "On Hold", Description: "Sells; payment is held back.", IsActive: true, SortOrder: 30},
	{Name: "Suspended", Description: "May not sell until the matter is settled.", SortOrder: 40},
	{Name: "Vested", Description: "Left with a right to renewal commissions.", CanBePaid: true, SortOrder: 50},
	{Name: "Retired", Description: "Retired; renewal commissions continue.", CanBePaid: true, SortOrder: 60},
	{Name: "Terminated", Description: "Left, or was let go.", SortOrder: 70},
	{Name: "Deceased", Description: "Deceased; payments are settled with the estate.", SortOrder: 80},
}

var agentLevels = []AgentLevel{
	{10, "Associate"}, {20, "Senior Associate"}, {30, "District Leader"},
	{40, "Division Leader"}, {50, "Regional Leader"}, {60, "Senior Regional Leader"},
	{70, "Vice President"}, {80, "Senior Vice President"}, {90, "Managing Director"},
}

// NAIC company codes have five digits. The leading zeros mark these as made up.
var providerCompanies = []ProviderCompany{
	{"BLH", "Blue Lantern Life Insurance Company", "00101"},
	{"CPM", "Copper Mesa Mutual", "00102"},
	{"HRN", "Heron Point Life and Annuity", "00103"},
	{"NST", "Northern Sill Assurance", "00104"},
	{"QRY", "Quarry Hill Insurance Company", "00105"},
	{"TDW", "Tidewheel Health Plans", "00106"},
	{"VRN", "Verano Casualty", "00107"},
	{"WLF", "Willowfen Life", "00108"},
	{"AMB", "Amberglass Annuity Company", "00109"},
	{"KST", "Keelstone Property and Casualty", "00110"},
	{"MPR", "Maple Rapids Assurance of Canada", "00111"},
	{"ZPH", "Zephyr Row Specialty", "00112"},
}
