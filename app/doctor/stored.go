package doctor

import (
	"slices"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/scenario"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/preset"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/webhooks"
)

// Enumeration is an enumeration as its owner defines it, with the columns that hold its
// values, as "table.column".
type Enumeration struct {
	Values  []string
	Columns []string
}

func enumerated[T ~string](of enum.Set[T], columns ...string) Enumeration {
	return Enumeration{of.Texts(), columns}
}

// Enumerations are all stored enumerations, by their name in the schema. Those that are
// text in the schema have names in small letters.
var Enumerations = map[string]Enumeration{
	"ApplicationGender":            enumerated(onboarding.Genders),            // in the encrypted document of an application
	"ApplicationLlcClassification": enumerated(onboarding.LLCClassifications), // likewise
	"ApplicationMaritalStatus":     enumerated(onboarding.MaritalStatuses),    // likewise
	"ApplicationW9Classification":  enumerated(onboarding.W9Classifications),  // likewise
	"ApplicationStatus": enumerated(onboarding.Statuses, "onboarding_application.status", "onboarding_application.held_status",
		"onboarding_application_status_change.from_status", "onboarding_application_status_change.to_status"),
	"AuditKind":             enumerated(audit.Kinds, "audit_entry.kind"),
	"AuditSurface":          enumerated(audit.Surfaces, "audit_entry.surface"),
	"BankAccountType":       enumerated(record.BankAccountTypes, "agency_direct_deposit.account_type"),
	"BankCountry":           enumerated(record.BankCountries, "agency_direct_deposit.country"),
	"BulkEntity":            enumerated(bulkimport.EntityNames, "bulk_import.entity"),
	"BulkErrorPolicy":       enumerated(bulkimport.Policies, "bulk_import.error_policy"),
	"CertificationCategory": enumerated(record.CertificationCategories, "agency_certification_type.category"),
	"CertificationStatus":   enumerated(record.CertificationStatuses, "agency_certification_period.status"),
	"ExportFormat":          enumerated(sheet.Formats, "export.format"),
	"HierarchyBuildStatus":  enumerated(hierarchy.Statuses, "hierarchy_build.status"),
	"JobStatus":             enumerated(export.Statuses, "export.status"),
	"PresetKind":            enumerated(preset.Kinds, "identity_preset.kind"),
	"QuestionResponseType":  enumerated(onboarding.ResponseTypes, "onboarding_background_question.response_type"),
	"ScenarioState":         enumerated(scenario.States, "agency_scenario.state"),
	"ScenarioVerdict":       enumerated(scenario.Verdicts, "agency_scenario_review.verdict"),
	"TrustedDocuments":      enumerated(identity.DocumentModes, "identity_client.trusted_documents"),
	"UserStatus":            enumerated(tenant.UserStatuses, "identity_user.status", "tenant.default_user_status"),
	"W9TaxClassification":   enumerated(record.TaxClassifications, "agency_w9.tax_classification"),
	"WebhookMessageState":   enumerated(webhooks.States, "webhook_message.state"),

	"address kind":           enumerated(agency.AddressKinds, "agency_address.kind"),
	"phone kind":             enumerated(agency.PhoneKinds, "agency_phone.kind"),
	"jurisdiction kind":      enumerated(record.JurisdictionKinds, "agency_jurisdiction.kind"),
	"format of the contract": enumerated(onboarding.BodyFormats, "onboarding_contract_version.body_format"),
}

// SealedColumns are all columns that the areas encrypt with the keys of a tenant.
func SealedColumns() []reencryption.Column {
	return slices.Concat(agency.SealedColumns(), identity.SealedColumns(), onboarding.SealedColumns(), webhooks.SealedColumns())
}
