package insights

import (
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

var appointmentStatus = &Report{
	Slug: "appointment-status", Title: "Appointment status", MaxPageSize: 500, Scoped: true,
	Description: "How many appointments are active, pending and terminated on a day, by provider company and jurisdiction. Appointments are the certifications whose type has the category APPOINTMENT; those in another status are left out.",
	Parameters: []Parameter{
		{Name: "providerCompany", Type: value.Text, Of: providerCompanies, Description: "Only of this provider company."},
		{Name: "jurisdiction", Type: value.Text, Of: jurisdictions, Description: "Only in this jurisdiction."},
		onDate,
	},
	Columns: []Column{
		{Key: "providerCompany", Label: "Provider company", Type: value.Text, SQL: "q.provider_company", Sort: "provider_company"},
		{Key: "jurisdiction", Label: "Jurisdiction", Type: value.Text, SQL: "q.jurisdiction", Sort: "jurisdiction"},
		{Key: "active", Label: "Active", Type: value.Integer, Measure: true, SQL: "q.active", Sort: "active"},
		{Key: "pending", Label: "Pending", Type: value.Integer, SQL: "q.pending", Sort: "pending"},
		{Key: "terminated", Label: "Terminated", Type: value.Integer, SQL: "q.terminated", Sort: "terminated"},
	},
	Order: []string{"company_key", "jurisdiction_key"},
	Core: func(r *Run, s *store.SQL) {
		join, condition := r.onTheDay(s, "c.agent_id")
		r.Write(s, `SELECT c.provider_company, c.jurisdiction, coalesce(c.provider_company, '') AS company_key, coalesce(c.jurisdiction, '') AS jurisdiction_key,
				count(CASE WHEN p.status = 'ACTIVE' THEN 1 END) AS active, count(CASE WHEN p.status = 'PENDING' THEN 1 END) AS pending,
				count(CASE WHEN p.status = 'TERMINATED' THEN 1 END) AS terminated
			FROM agency_certification c JOIN agency_certification_type y ON y.tenant_id = c.tenant_id AND y.code = c.type AND y.category = 'APPOINTMENT'
				JOIN agency_certification_period p ON p.tenant_id = c.tenant_id AND p.certification_id = c.id AND `+history.Covers("p", "@onDate")+join+`
			WHERE c.tenant_id = @tenant AND p.status IN ('ACTIVE', 'PENDING', 'TERMINATED')`+condition)
		r.matching(s, match{"providerCompany", "c.provider_company"}, match{"jurisdiction", "c.jurisdiction"})
		s.Write(" GROUP BY c.provider_company, c.jurisdiction")
	},
}
