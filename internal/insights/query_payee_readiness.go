package insights

import (
	"strings"

	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

var payeeReadiness = &Report{
	Slug: "payee-readiness", Title: "Payee readiness", MaxPageSize: 500, Scoped: true,
	Description: "Whether each agent is payable on a day, and what there is for it: a pay status with which it can be paid, a W9, a direct deposit. missing is " + strings.Join(authorization.MeansCodes.Texts(), ", ") + ", all that hold. Agents whose first pay status begins later are left out. Direct deposit has no history: it is that of now, or of asKnownAt.",
	Parameters:  []Parameter{onDate},
	Columns: []Column{
		{Key: "agentCode", Label: "Agent code", Type: value.Text, SQL: "q.agent_code", Sort: "agent_code"},
		{Key: "name", Label: "Name", Type: value.Text, SQL: agentName},
		{Key: "hasPayableStatus", Label: "Can be paid by its pay status", Type: value.Boolean, SQL: "q.has_payable_status", Sort: "has_payable_status"},
		{Key: "hasW9", Label: "Has a W9", Type: value.Boolean, SQL: "q.has_w9", Sort: "has_w9"},
		{Key: "hasDirectDeposit", Label: "Has a direct deposit", Type: value.Boolean, SQL: "q.has_direct_deposit", Sort: "has_direct_deposit"},
		{Key: "isPayable", Label: "Payable", Type: value.Boolean, SQL: "q.means", Of: value.Integer, From: func(_ *Run, v any) any { return len(missing(v)) == 0 }},
		{Key: "missing", Label: "What is missing", Type: value.Text, SQL: "q.means", Of: value.Integer, From: func(_ *Run, v any) any {
			if codes := missing(v); len(codes) > 0 {
				return strings.Join(codes, ", ")
			}
			return nil
		}},
	},
	Order: []string{"agent_code"}, Keys: []string{"agent_id"},
	Core: func(r *Run, s *store.SQL) {
		join, condition := r.onTheDay(s, "a.id")
		s.Write("SELECT m.*, " + meansSQL + " AS means FROM (")
		r.Write(s, `SELECT a.id AS agent_id, (s.status IS NOT NULL) AS has_status, a.code AS agent_code, coalesce(ps.can_be_paid, false) AS has_payable_status,
				`+HasW9("a.id", "@onDate")+` AS has_w9, `+HasDirectDeposit("a.id")+` AS has_direct_deposit
			FROM agency_agent a`+join+sqlOf(PayStatusJoins("a.id", "@onDate")...)+`
			WHERE a.tenant_id = @tenant`+condition+`
				AND EXISTS (SELECT 1 FROM agency_pay_status_period e WHERE e.tenant_id = @tenant AND e.agent_id = a.id AND e.superseded_at IS NULL AND e.effective_from <= @onDate)) m`)
	},
	Detail: agentDetail,
}

// meansSQL is what there is for paying an agent, as one number.
const meansSQL = "CASE WHEN m.has_status THEN 8 ELSE 0 END + CASE WHEN m.has_payable_status THEN 4 ELSE 0 END + CASE WHEN m.has_w9 THEN 2 ELSE 0 END + CASE WHEN m.has_direct_deposit THEN 1 ELSE 0 END"

// missing returns what is missing for paying an agent.
func missing(means any) (codes []string) {
	n := means.(int64)
	for _, code := range (authorization.Means{HasStatus: n&8 > 0, CanBePaid: n&4 > 0, HasW9: n&2 > 0, HasDirectDeposit: n&1 > 0}).Missing() {
		codes = append(codes, string(code))
	}
	return codes
}

// agentDetail writes a join by which a is the agent of a row.
func agentDetail(r *Run, s *store.SQL) {
	r.Write(s, sqlOf(AgentJoin("q.agent_id")))
}
