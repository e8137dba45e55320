package recipe

import (
	"slices"

	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/value"
)

// authorizationsDataset is made by the engine of sales authorizations, and given to the
// statement as a list.
var authorizationsDataset = &Dataset{
	Name: "salesAuthorizations", Description: "Every product and jurisdiction in which an agent may sell on the day. An agency with more than 200,000 exports them instead.", Scope: agentsScope,
	prepare: (*insights.Run).Authorized,
	from:    "(SELECT x.agent_id, x.product, x.jurisdiction, x.valid_through FROM jsonb_to_recordset(CAST(@prepared AS jsonb)) AS x(agent_id bigint, product text, jurisdiction text, valid_through date)) z",
	sqlite: "(SELECT e.value ->> 'agent_id' AS agent_id, e.value ->> 'product' AS product, e.value ->> 'jurisdiction' AS jurisdiction," +
		" e.value ->> 'valid_through' AS valid_through FROM json_each(@prepared) e) z",
	where: "true", key: []string{"z.agent_id", "z.product", "z.jurisdiction"},
	joins: slices.Concat([]insights.Join{insights.AgentJoin("z.agent_id")}, payStatusJoins("z.agent_id"), levelJoins("z.agent_id")),
	Fields: slices.Concat(agentFields(), []Field{
		{Name: "product", Type: value.Text, Description: "Code of the product.", sql: "z.product"},
		{Name: "jurisdiction", Type: value.Text, Description: "Code of the jurisdiction.", sql: "z.jurisdiction"},
		{Name: "validThrough", Type: value.Date, Description: "Last day on which the agent may by itself; null if that stays so.", sql: "z.valid_through"},
	}, standingFields(), []Field{
		{Name: "agentLevel", Type: value.Integer, Description: "Agent level (rank) of the agent on the day.", sql: "l.level", join: "l"},
		{Name: "agentLevelName", Type: value.Text, Description: "Name of that agent level.", sql: "al.name", join: "al"},
	}),
}
