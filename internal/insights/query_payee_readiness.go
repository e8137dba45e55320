package insights

import (
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

var payeeReadiness = &Report{
	Slug: "payee-readiness", Title: "Payee readiness", MaxPageSize: 500, Scoped: true,
	Description: "What is there for paying each agent on a day: a pay status with which it can be paid, a W9, a direct deposit. Agents whose first pay status begins later are left out. Direct deposit has no history: it is that of now.",
	Parameters:  []Parameter{onDate},
	Columns: []Column{
		{Key: "agentCode", Label: "Agent code", Type: value.Text, SQL: "q.agent_code", Sort: "agent_code"},
		{Key: "name", Label: "Name", Type: value.Text, SQL: agentName},
		{Key: "hasPayableStatus", Label: "Can be paid by its pay status", Type: value.Boolean, SQL: "q.has_payable_status", Sort: "has_payable_status"},
		{Key: "hasW9", Label: "Has a W9", Type: value.Boolean, SQL: "q.has_w9", Sort: "has_w9"},
		{Key: "hasDirectDeposit", Label: "Has a direct deposit", Type: value.Boolean, SQL: "q.has_direct_deposit", Sort: "has_direct_deposit"},
	},
	Order: []string{"agent_code"}, Keys: []string{"agent_id"},
	Core: func(r *Run, s *store.SQL) {
		join, condition := r.onTheDay(s, "a.id")
		r.Write(s, `SELECT a.id AS agent_id, a.code AS agent_code, coalesce(ps.can_be_paid, false) AS has_payable_status,
				EXISTS (SELECT 1 FROM agency_w9_period w WHERE w.tenant_id = @tenant AND w.agent_id = a.id AND `+history.Covers("w", "@onDate")+`) AS has_w9,
				EXISTS (SELECT 1 FROM agency_direct_deposit d WHERE d.tenant_id = @tenant AND d.agent_id = a.id) AS has_direct_deposit
			FROM agency_agent a`+join+sqlOf(PayStatusJoins("a.id", "@onDate")...)+`
			WHERE a.tenant_id = @tenant`+condition+`
				AND EXISTS (SELECT 1 FROM agency_pay_status_period e WHERE e.tenant_id = @tenant AND e.agent_id = a.id AND e.superseded_at IS NULL AND e.effective_from <= @onDate)`)
	},
	Detail: agentDetail,
}

// agentDetail writes a join by which a is the agent of a row.
func agentDetail(r *Run, s *store.SQL) {
	r.Write(s, sqlOf(AgentJoin("q.agent_id")))
}
