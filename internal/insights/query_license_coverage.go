package insights

import (
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

var licenseCoverage = &Report{
	Slug: "license-coverage", Title: "License coverage", MaxPageSize: 500, Scoped: true,
	Description: "Where the agency can sell: the agents who are active by their pay status on a day and have an active certification then, by jurisdiction and type; residents, non-residents, and those whose last one ends within 30 and within 90 days of it.",
	Parameters: []Parameter{
		onDate,
		{Name: "type", Type: value.Text, Of: certificationTypes, Description: "Only this certification type.", DefaultText: "all of the category LICENSE"},
	},
	Columns: []Column{
		{Key: "jurisdiction", Label: "Jurisdiction", Type: value.Text, SQL: "q.jurisdiction", Sort: "jurisdiction"},
		{Key: "type", Label: "Type", Type: value.Text, SQL: "q.type", Sort: "type"},
		{Key: "activeAgents", Label: "Active agents", Type: value.Integer, Measure: true, SQL: "q.agents", Sort: "agents"},
		{Key: "resident", Label: "Resident", Type: value.Integer, SQL: "q.resident", Sort: "resident"},
		{Key: "nonResident", Label: "Non-resident", Type: value.Integer, SQL: "q.agents - q.resident"},
		{Key: "expiring30", Label: "Expiring within 30 days", Type: value.Integer, SQL: "q.expiring30", Sort: "expiring30"},
		{Key: "expiring90", Label: "Expiring within 90 days", Type: value.Integer, SQL: "q.expiring90", Sort: "expiring90"},
	},
	Order: []string{"jurisdiction_key", "type"},
	Core: func(r *Run, s *store.SQL) {
		join, condition := r.onTheDay(s, "c.agent_id")
		in30, in90 := s.Arg(r.Day("onDate").AddDays(30)), s.Arg(r.Day("onDate").AddDays(90))
		// An agent who has several certifications is at risk only when the last of them
		// ends, and for each only the end of the last active period known by now counts.
		const end = "CASE WHEN f.id IS NULL THEN p.effective_through ELSE f.effective_through END"
		r.Write(s, `SELECT n.jurisdiction, coalesce(n.jurisdiction, '') AS jurisdiction_key, n.type, count(*) AS agents, CAST(sum(n.resident) AS bigint) AS resident,
				CAST(sum(CASE WHEN n.days <= 30 THEN 1 ELSE 0 END) AS bigint) AS expiring30, CAST(sum(CASE WHEN n.days <= 90 THEN 1 ELSE 0 END) AS bigint) AS expiring90
			FROM (SELECT c.agent_id, c.jurisdiction, c.type, max(CASE WHEN c.is_resident_certification THEN 1 ELSE 0 END) AS resident,
					max(CASE WHEN `+end+` IS NULL OR `+end+` > `+in90+` THEN 91 WHEN `+end+` > `+in30+` THEN 90 ELSE 30 END) AS days
				FROM agency_certification c JOIN agency_certification_period p ON p.tenant_id = c.tenant_id AND p.certification_id = c.id AND p.status = 'ACTIVE' AND `+history.Covers("p", "@onDate")+`
					JOIN agency_pay_status_period x ON x.tenant_id = c.tenant_id AND x.agent_id = c.agent_id AND `+history.Covers("x", "@onDate")+`
					JOIN agency_pay_status t ON t.tenant_id = c.tenant_id AND t.name = x.status AND t.is_active
					LEFT JOIN agency_certification_period f ON f.tenant_id = c.tenant_id AND f.certification_id = c.id AND f.superseded_at IS NULL AND f.status = 'ACTIVE' AND f.effective_from > p.effective_through`+join+`
				WHERE c.tenant_id = @tenant`+condition)
		r.licenceType(s, "c.type")
		s.Write(" GROUP BY c.agent_id, c.jurisdiction, c.type) n GROUP BY n.jurisdiction, n.type")
	},
}
