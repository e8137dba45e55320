package recipe

import "slices"

// certificationStatuses are those of the specification, as GraphQL has them.
var certificationStatuses = []string{"ACTIVE", "PENDING", "HELD", "SUSPENDED", "ADMINISTRATIVE_SUSPENSION", "REGULATORY_SUSPENSION",
	"EXPIRED", "REJECTED", "TERMINATED", "RETIRED"}

var certificationTypeJoin = join{alias: "ct", sql: "LEFT JOIN agency_certification_type ct ON ct.tenant_id = @tenant AND ct.code = c.type"}

// certificationFields are the fields of a certification with the alias c, joined by the
// given alias.
func certificationFields(alias string) []Field {
	return []Field{
		{Name: "certificationId", Type: IntField, Description: "Id of the certification.", sql: "c.id", join: alias},
		{Name: "type", Type: StringField, Description: "Code of the certification type.", sql: "c.type", join: alias},
		{Name: "category", Type: StringField, Description: "Category of the certification type.", sql: "ct.category", join: "ct"},
		{Name: "providerCompany", Type: StringField, Description: "Code of the provider company.", sql: "c.provider_company", join: alias},
		{Name: "jurisdiction", Type: StringField, Description: "Code of the jurisdiction.", sql: "c.jurisdiction", join: alias},
		{Name: "identifier", Type: StringField, Description: "Number of the licence or appointment.", sql: "c.identifier", join: alias},
		{Name: "isResidentCertification", Type: BooleanField, Description: "Whether it is that of the home jurisdiction.", sql: "c.is_resident_certification", join: alias},
		{Name: "isVerified", Type: BooleanField, Description: "Whether it was verified.", sql: "c.is_verified", join: alias},
	}
}

func daysRemaining() Field {
	return Field{Name: "daysRemaining", Type: IntField, Description: "Days from the day to effectiveThrough; null while open-ended.",
		sql: "(p.effective_through - @day)", sqlite: "CAST(julianday(p.effective_through) - julianday(@day) AS integer)"}
}

var certificationsDataset = &Dataset{
	Name: "certifications", Description: "Certifications, with the status that holds on the day.", Scope: agentsScope,
	from: "agency_certification c", where: "c.tenant_id = @tenant", key: []string{"c.id"},
	joins: slices.Concat([]join{
		agentJoin("c.agent_id"), certificationTypeJoin,
		{alias: "p", sql: "LEFT JOIN agency_certification_period p ON p.tenant_id = @tenant AND p.certification_id = c.id AND " + coversDay("p")},
	}, payStatusJoins("c.agent_id")),
	Fields: slices.Concat(agentFields(), certificationFields(""), inJoin("p", []Field{
		{Name: "status", Type: StringField, Values: certificationStatuses, Description: "Status on the day; null when none holds.", sql: "p.status"},
		{Name: "effectiveFrom", Type: DateField, Description: "Since when it holds.", sql: "p.effective_from"},
		{Name: "effectiveThrough", Type: DateField, Description: "Last day on which it holds; null while open-ended.", sql: "p.effective_through"},
		daysRemaining(),
	}), standingFields(), []Field{
		{Name: "createdAt", Type: DateTimeField, Description: "When the certification was created.", sql: "c.created_at"},
		{Name: "lastModified", Type: DateTimeField, Description: "When the certification was last changed.", sql: "c.last_modified"},
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
	joins: slices.Concat([]join{agentJoin("c.agent_id"), certificationTypeJoin}, payStatusJoins("c.agent_id")),
	Fields: slices.Concat(agentFields(), certificationFields(""), []Field{
		{Name: "status", Type: StringField, Values: certificationStatuses, Description: "Status in the period.", sql: "p.status"},
	}, periodFields(), []Field{daysRemaining()}, standingFields()),
}
