package recipe

import (
	"slices"

	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/value"
)

var agentsDataset = &Dataset{
	Name: "agents", Description: "Agents, as they stand on the day.", Scope: agentsScope,
	from: "agency_agent a", where: "a.tenant_id = @tenant", key: []string{"a.id"},
	joins: slices.Concat(payStatusJoins("a.id"), levelJoins("a.id"), insights.UplineJoins("u", "a.id", "@onDate"), []insights.Join{
		{Alias: "ha", SQL: "LEFT JOIN agency_address ha ON ha.tenant_id = @tenant AND ha.agent_id = a.id AND ha.kind = 'HOME'"},
		{Alias: "ba", SQL: "LEFT JOIN agency_address ba ON ba.tenant_id = @tenant AND ba.agent_id = a.id AND ba.kind = 'BUSINESS'"},
	}),
	Fields: slices.Concat([]Field{
		{Name: "agentCode", Type: value.Text, Description: "Code of the agent.", sql: "a.code"},
		{Name: "firstName", Type: value.Text, Description: "First name.", sql: "a.first_name"},
		{Name: "middleName", Type: value.Text, Description: "Middle name.", sql: "a.middle_name"},
		{Name: "lastName", Type: value.Text, Description: "Last name.", sql: "a.last_name"},
		{Name: "commonName", Type: value.Text, Description: "Preferred first name.", sql: "a.common_name"},
		{Name: "suffix", Type: value.Text, Description: "Suffix of the name, such as Jr.", sql: "a.suffix"},
		{Name: "email", Type: value.Text, Description: "E-mail address.", sql: "a.email"},
		{Name: "npn", Type: value.Text, Description: "National producer number.", sql: "a.npn"},
		{Name: "customerId", Type: value.Text, Description: "Id of the agent as a customer.", sql: "a.customer_id"},
		{Name: "isDedicated", Type: value.Boolean, Description: "Whether the agent works for this agency only.", sql: "a.is_dedicated"},
		{Name: "startDate", Type: value.DateTime, Description: "When the agent started.", sql: "a.start_date"},
		{Name: "homeJurisdiction", Type: value.Text, Description: "Jurisdiction of the home address.", sql: "ha.jurisdiction", join: "ha"},
		{Name: "businessJurisdiction", Type: value.Text, Description: "Jurisdiction of the business address.", sql: "ba.jurisdiction", join: "ba"},
	}, standingFields(), []Field{
		{Name: "canBePaid", Type: value.Boolean, Description: "Whether that pay status allows payment; false without one.", sql: "coalesce(ps.can_be_paid, false)", join: "ps"},
		{Name: "agentLevel", Type: value.Integer, Description: "Agent level (rank) on the day.", sql: "l.level", join: "l"},
		{Name: "agentLevelName", Type: value.Text, Description: "Name of that agent level.", sql: "al.name", join: "al"},
		{Name: "uplineAgentCode", Type: value.Text, Description: "Code of the direct upline on the day, also of one that was deleted since.", sql: insights.UplineCode("u"), join: "ua"},
		{Name: "uplineFirstName", Type: value.Text, Description: "First name of the direct upline on the day.", sql: "ua.first_name", join: "ua"},
		{Name: "uplineLastName", Type: value.Text, Description: "Last name of the direct upline on the day.", sql: "ua.last_name", join: "ua"},
		{Name: "hasW9", Type: value.Boolean, Description: "Whether a W9 holds on the day; nothing of what it says.", sql: insights.HasW9("a.id", "@onDate")},
		{Name: "hasDirectDeposit", Type: value.Boolean, Description: "Whether there is direct deposit; nothing of its details.", sql: insights.HasDirectDeposit("a.id")},
		{Name: "isPayable", Type: value.Boolean, Description: "Whether there is all of these: a pay status that allows payment, a W9 and direct deposit.",
			sql: "(coalesce(ps.can_be_paid, false) AND " + insights.HasW9("a.id", "@onDate") + " AND " + insights.HasDirectDeposit("a.id") + ")", join: "ps"},
		{Name: "createdAt", Type: value.DateTime, Description: "When the agent was created.", sql: "a.created_at"},
		{Name: "lastModified", Type: value.DateTime, Description: "When the agent was last changed.", sql: "a.last_modified"},
	}),
}
