package recipe

import (
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/value"
)

// commissionsDataset needs the scope of recording payments, since the specification has
// none for reading what an agent was paid. So it shows only the code of the agent.
var commissionsDataset = &Dataset{
	Name: "commissionPayments", Description: "Commissions that were paid to agents, or taken back.", Scope: factsScope,
	from: "insights_commission_payment c", where: "c.tenant_id = @tenant", key: []string{"c.id"},
	joins: []insights.Join{insights.AgentJoin("c.agent_id")},
	Fields: []Field{
		agentFields()[0],
		{Name: "paidOn", Type: value.Date, Description: "Day of the payment.", sql: "c.paid_on"},
		monthField("paidMonth", "c.paid_on", "it was paid"),
		{Name: "amount", Type: value.Decimal, Description: "Amount; negative when taken back.", sql: "c.amount_cents"},
		{Name: "reference", Type: value.Text, Description: "What tells it apart from another payment to the agent on the day, for the same amount.", sql: "nullif(c.reference, '')"},
		{Name: "recordedAt", Type: value.DateTime, Description: "When the payment was recorded.", sql: "c.recorded_at"},
		{Name: "recordedBy", Type: value.Text, Description: "The initiator that recorded it.", sql: "c.recorded_by"},
	},
}
