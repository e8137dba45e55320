package insights

import (
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

var licenseExpirations = &Report{
	Slug: "license-expirations", Title: "License expirations", MaxPageSize: 500, Scoped: true,
	Description: "Certifications whose active period ends within so many days, or in a range of days, and is followed by no other active one. The scope, the status and the direct upline are those of today.",
	Parameters: []Parameter{
		{Name: "withinDays", Type: value.Integer, Most: maxDays, Description: "Those that end from today to so many days from now; not together with from and through.", DefaultText: "90, unless from or through is given",
			Default: func(r *Run) any {
				if r.Given("from") || r.Given("through") {
					return nil
				}
				return int64(90)
			}},
		{Name: "from", Type: value.Date, Least: firstDay, Most: lastDay, Description: "First day.", DefaultText: "today; through when that is earlier",
			Default: func(r *Run) any { return min(r.Today, r.through()) }},
		{Name: "through", Type: value.Date, Least: firstDay, Most: lastDay, Description: "Last day; at most ten years after the first.", DefaultText: "withinDays after today; 90 days after from",
			Default: func(r *Run) any {
				if r.values["withinDays"] != nil {
					return r.Today.AddDays(r.Int("withinDays"))
				}
				return r.Day("from").AddDays(90)
			}},
		{Name: "type", Type: value.Text, Of: certificationTypes, Description: "Only this certification type."},
		{Name: "jurisdiction", Type: value.Text, Of: jurisdictions, Description: "Only in this jurisdiction."},
		{Name: "providerCompany", Type: value.Text, Of: providerCompanies, Description: "Only of this provider company."},
	},
	Columns: []Column{
		{Key: "agentCode", Label: "Agent code", Type: value.Text, SQL: "a.code", Sort: "agent_code"},
		{Key: "name", Label: "Name", Type: value.Text, SQL: agentName},
		{Key: "directUpline", Label: "Direct upline", Type: value.Text, SQL: UplineCode("u")},
		{Key: "certificationId", Label: "Certification", Type: value.Integer, SQL: "q.certification_id", Sort: "certification_id"},
		{Key: "type", Label: "Type", Type: value.Text, SQL: "q.type", Sort: "type"},
		{Key: "jurisdiction", Label: "Jurisdiction", Type: value.Text, SQL: "q.jurisdiction", Sort: "jurisdiction"},
		{Key: "providerCompany", Label: "Provider company", Type: value.Text, SQL: "q.provider_company", Sort: "provider_company"},
		{Key: "identifier", Label: "Identifier", Type: value.Text, SQL: "q.identifier"},
		{Key: "status", Label: "Status today", Type: value.Text, SQL: "t.status"},
		{Key: "effectiveThrough", Label: "Last day", Type: value.Date, SQL: "q.effective_through", Sort: "effective_through"},
		{Key: "daysRemaining", Label: "Days remaining", Type: value.Integer, SQL: "q.effective_through", Sort: "effective_through", Of: value.Date,
			From: func(r *Run, v any) any { return int64(v.(date.Date) - r.Today) }},
		{Key: "bucket", Label: "When", Type: value.Text, SQL: "q.effective_through", Of: value.Date,
			From: func(r *Run, v any) any { return bucketOf(int(v.(date.Date) - r.Today)) }},
	},
	Order: []string{"effective_through", "certification_id"}, Keys: []string{"certification_id", "agent_id"},
	Check: func(r *Run) error {
		if r.Given("withinDays") && (r.Given("from") || r.Given("through")) {
			return problem.Invalid(problem.NotApplicable, "has no meaning together with from or through", "parameters", "withinDays")
		}
		return checkRange(r)
	},
	Core: func(r *Run, s *store.SQL) {
		r.With(s, r.Today, r.Today)
		join, condition := r.Within(s, "c.agent_id", "")
		r.Write(s, `SELECT c.id AS certification_id, c.agent_id, x.code AS agent_code, c.type, c.jurisdiction, c.provider_company, c.identifier, p.effective_through
			FROM agency_certification_period p CROSS JOIN agency_certification c JOIN agency_agent x ON x.tenant_id = c.tenant_id AND x.id = c.agent_id`+join+`
			WHERE p.tenant_id = @tenant AND c.tenant_id = p.tenant_id AND c.id = p.certification_id AND p.superseded_at IS NULL AND p.status = 'ACTIVE' AND p.effective_through >= @from AND p.effective_through <= @through
				AND NOT EXISTS (SELECT 1 FROM agency_certification_period n WHERE n.tenant_id = p.tenant_id AND n.certification_id = p.certification_id
					AND n.superseded_at IS NULL AND n.status = 'ACTIVE' AND n.effective_from > p.effective_through)`+condition)
		r.matching(s, match{"type", "c.type"}, match{"jurisdiction", "c.jurisdiction"}, match{"providerCompany", "c.provider_company"})
	},
	Detail: func(r *Run, s *store.SQL) {
		agentDetail(r, s)
		r.Write(s, " LEFT JOIN agency_certification_period t ON t.tenant_id = @tenant AND t.certification_id = q.certification_id AND "+history.Covers("t", "@today"))
		r.Write(s, sqlOf(UplineJoins("u", "q.agent_id", "@today")...))
	},
}

// bucketOf groups days remaining by months, as renewals are planned.
func bucketOf(days int) string {
	switch {
	case days < 0:
		return "expired"
	case days <= 30:
		return "0-30"
	case days <= 60:
		return "31-60"
	case days <= 90:
		return "61-90"
	}
	return "over 90"
}
