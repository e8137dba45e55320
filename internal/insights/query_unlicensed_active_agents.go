package insights

import (
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

// home stands for the jurisdiction of an agent's home address.
const home = "home"

var unlicensedActiveAgents = &Report{
	Slug: "unlicensed-active-agents", Title: "Unlicensed active agents", MaxPageSize: 500, Scoped: true,
	Description: "Agents who are active by their pay status on a day, but have no active certification of a type in a jurisdiction then, with the last that they had. A certification without a jurisdiction is good in all of them.",
	Parameters: []Parameter{
		onDate,
		{Name: "type", Type: value.Text, Of: certificationTypes, Description: "The certification type that is missing.", DefaultText: "any of the category LICENSE"},
		{Name: "jurisdiction", Type: value.Text, Of: jurisdictions, Also: []string{home}, Default: Constant(home),
			Description: "Where: the code of a jurisdiction, or home for that of each agent's home address; who has none there is listed without."},
	},
	Columns: []Column{
		{Key: "agentCode", Label: "Agent code", Type: value.Text, SQL: "q.agent_code", Sort: "agent_code"},
		{Key: "name", Label: "Name", Type: value.Text, SQL: agentName},
		{Key: "payStatus", Label: "Pay status", Type: value.Text, SQL: "q.pay_status", Sort: "pay_status"},
		{Key: "jurisdiction", Label: "Jurisdiction", Type: value.Text, SQL: "q.jurisdiction", Sort: "jurisdiction"},
		{Key: "lastStatus", Label: "Status of the last certification", Type: value.Text, SQL: "l.status"},
		{Key: "lastEffectiveThrough", Label: "Last day of that status", Type: value.Date, SQL: "l.effective_through"},
	},
	Order: []string{"agent_code"}, Keys: []string{"agent_id"},
	Core: func(r *Run, s *store.SQL) {
		join, condition := r.onTheDay(s, "a.id")
		jurisdiction, address := r.licensedIn()
		r.Write(s, `SELECT a.id AS agent_id, a.code AS agent_code, p.status AS pay_status, `+jurisdiction+` AS jurisdiction
			FROM agency_agent a`+join+`
				JOIN agency_pay_status_period p ON p.tenant_id = @tenant AND p.agent_id = a.id AND `+history.Covers("p", "@onDate")+`
				JOIN agency_pay_status t ON t.tenant_id = @tenant AND t.name = p.status`+address+`
			WHERE a.tenant_id = @tenant AND t.is_active`+condition+` AND NOT EXISTS (SELECT 1`)
		r.licences(s, "agency_certification_period l", "a.id", jurisdiction)
		r.Write(s, " AND l.status = 'ACTIVE' AND "+history.Covers("l", "@onDate")+")")
	},
	Detail: func(r *Run, s *store.SQL) {
		agentDetail(r, s)
		r.Write(s, " LEFT JOIN agency_certification_period l ON l.tenant_id = @tenant AND l.id = (SELECT l.id")
		r.licences(s, r.periodsOfOne(), "q.agent_id", "q.jurisdiction")
		r.Write(s, " AND l.superseded_at IS NULL AND l.effective_from <= @onDate ORDER BY l.effective_from DESC, l.id DESC LIMIT 1)")
	},
}

// periodsOfOne are the periods l of certification c, looked up for each of a few
// certifications: where a run sweeps, PostgreSQL would read all periods for each agent of
// the page.
func (r *Run) periodsOfOne() string {
	if !r.Postgres {
		return "agency_certification_period l"
	}
	return "LATERAL (SELECT * FROM agency_certification_period l WHERE l.tenant_id = @tenant AND l.certification_id = c.id AND l.superseded_at IS NULL OFFSET 0) l"
}

// licensedIn returns SQL for the jurisdiction in which agent a needs a licence, and the
// join that it needs.
func (r *Run) licensedIn() (jurisdiction, join string) {
	if r.Text("jurisdiction") != home {
		return "CAST(@jurisdiction AS text)", ""
	}
	return "h.jurisdiction", " LEFT JOIN agency_address h ON h.tenant_id = @tenant AND h.agent_id = a.id AND h.kind = 'HOME'"
}

// licences writes the FROM and WHERE clauses for the periods l of an agent's
// certifications of the type in question. CROSS JOIN makes SQLite keep to this order;
// otherwise it would read all periods of the agency for each agent.
func (r *Run) licences(s *store.SQL, periods, agent, jurisdiction string) {
	r.Write(s, ` FROM agency_certification c CROSS JOIN `+periods+`
		WHERE c.tenant_id = @tenant AND c.agent_id = `+agent+` AND l.tenant_id = c.tenant_id AND l.certification_id = c.id AND (c.jurisdiction IS NULL OR c.jurisdiction = `+jurisdiction+")")
	r.licenceType(s, "c.type")
}
