package recipe

import (
	"slices"

	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/value"
)

// certificationStatuses are those of the specification, as GraphQL has them.
var certificationStatuses = []string{"ACTIVE", "PENDING", "HELD", "SUSPENDED", "ADMINISTRATIVE_SUSPENSION", "REGULATORY_SUSPENSION",
	"EXPIRED", "REJECTED", "TERMINATED", "RETIRED"}

var certificationTypeJoin = insights.Join{Alias: "ct", SQL: "LEFT JOIN agency_certification_type ct ON ct.tenant_id = @tenant AND ct.code = c.type"}

// certificationFields are the fields of a certification with the alias c, joined by the
// given alias.
func certificationFields(alias string) []Field {
	return []Field{
		{Name: "certificationId", Type: value.Integer, Description: "Id of the certification.", sql: "c.id", join: alias},
		{Name: "type", Type: value.Text, Description: "Code of the certification type.", sql: "c.type", join: alias},
		{Name: "category", Type: value.Text, Description: "Category of the certification type.", sql: "ct.category", join: "ct"},
		{Name: "providerCompany", Type: value.Text, Description: "Code of the provider company.", sql: "c.provider_company", join: alias},
		{Name: "jurisdiction", Type: value.Text, Description: "Code of the jurisdiction.", sql: "c.jurisdiction", join: alias},
		{Name: "identifier", Type: value.Text, Description: "Number of the licence or appointment.", sql: "c.identifier", join: alias},
		{Name: "isResidentCertification", Type: value.Boolean, Description: "Whether it is that of the home jurisdiction.", sql: "c.is_resident_certification", join: alias},
		{Name: "isVerified", Type: value.Boolean, Description: "Whether it was verified.", sql: "c.is_verified", join: alias},
	}
}

func daysRemaining() Field {
	return Field{Name: "daysRemaining", Type: value.Integer, Description: "Days from the day to effectiveThrough; null while open-ended.",
		sql: "(p.effective_through - @onDate)", sqlite: "CAST(julianday(p.effective_through) - julianday(@onDate) AS integer)"}
}

var certificationsDataset = &Dataset{
	Name: "certifications", Description: "Certifications, with the status that holds on the day.", Scope: agentsScope,
	from: "agency_certification c", where: "c.tenant_id = @tenant", key: []string{"c.id"},
	joins: slices.Concat([]insights.Join{
		insights.AgentJoin("c.agent_id"), certificationTypeJoin,
		{Alias: "p", SQL: "LEFT JOIN agency_certification_period p ON p.tenant_id = @tenant AND p.certification_id = c.id AND " + coversDay("p")},
	}, payStatusJoins("c.agent_id")),
	Fields: slices.Concat(agentFields(), certificationFields(""), inJoin("p", []Field{
		{Name: "status", Type: value.Text, Values: certificationStatuses, Description: "Status on the day; null when none holds.", sql: "p.status"},
		{Name: "effectiveFrom", Type: value.Date, Description: "Since when it holds.", sql: "p.effective_from"},
		{Name: "effectiveThrough", Type: value.Date, Description: "Last day on which it holds; null while open-ended.", sql: "p.effective_through"},
		daysRemaining(),
	}), standingFields(), []Field{
		{Name: "createdAt", Type: value.DateTime, Description: "When the certification was created.", sql: "c.created_at"},
		{Name: "lastModified", Type: value.DateTime, Description: "When the certification was last changed.", sql: "c.last_modified"},
	}),
}

// inJoin sets the join that fields need.
func inJoin(alias string, fields []Field) []Field {
	for i := range fields {
		fields[i].join = alias
	}
	return fields
}

var certificationPeriodsDataset = &Dataset{
	Name: "certificationPeriods", Description: "Every status period of every certification, past and future.", Scope: agentsScope,
	from:  "agency_certification_period p JOIN agency_certification c ON c.tenant_id = @tenant AND c.id = p.certification_id",
	where: "p.tenant_id = @tenant AND p.superseded_at IS NULL", key: []string{"p.id"},
	joins: slices.Concat([]insights.Join{insights.AgentJoin("c.agent_id"), certificationTypeJoin}, payStatusJoins("c.agent_id")),
	Fields: slices.Concat(agentFields(), certificationFields(""), []Field{
		{Name: "status", Type: value.Text, Values: certificationStatuses, Description: "Status in the period.", sql: "p.status"},
	}, periodFields(), []Field{daysRemaining()}, standingFields()),
}
