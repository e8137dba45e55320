package insights

import (
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

var payStatusSummary = &Report{
	Slug: "pay-status-summary", Title: "Pay status summary", MaxPageSize: 500, Scoped: true,
	Description: "How many agents have each of the agency's pay statuses on a day, in the order of the statuses.",
	Parameters:  []Parameter{onDate},
	Columns: []Column{
		{Key: "payStatus", Label: "Pay status", Type: value.Text, SQL: "q.pay_status", Sort: "pay_status"},
		{Key: "isActive", Label: "Active", Type: value.Boolean, SQL: "q.is_active"},
		{Key: "agents", Label: "Agents", Type: value.Integer, Measure: true, SQL: "q.agents", Sort: "agents"},
	},
	Order: []string{"sort_order", "pay_status"},
	Core: func(r *Run, s *store.SQL) {
		join, condition := r.onTheDay(s, "p.agent_id")
		r.Write(s, `SELECT t.name AS pay_status, t.is_active, t.sort_order, coalesce(n.agents, 0) AS agents
			FROM agency_pay_status t LEFT JOIN (
				SELECT p.status, count(*) AS agents FROM agency_pay_status_period p`+join+`
				WHERE p.tenant_id = @tenant AND `+history.Covers("p", "@onDate")+condition+` GROUP BY p.status
			) n ON n.status = t.name WHERE t.tenant_id = @tenant`)
	},
}
