package recipe

import (
	"slices"

	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/value"
)

var payStatusPeriodsDataset = &Dataset{
	Name: "payStatusPeriods", Description: "Every pay status period of every agent, past and future.", Scope: agentsScope,
	from: "agency_pay_status_period p", where: "p.tenant_id = @tenant AND p.superseded_at IS NULL", key: []string{"p.id"},
	joins: []insights.Join{insights.AgentJoin("p.agent_id")},
	Fields: slices.Concat(agentFields(), []Field{
		{Name: "status", Type: value.Text, Description: "Pay status in the period.", sql: "p.status"},
	}, periodFields()),
}

var uplinePeriodsDataset = &Dataset{
	Name: "uplinePeriods", Description: "Every period of a direct upline of every agent, past and future.", Scope: agentsScope,
	from: "agency_upline_period p", where: "p.tenant_id = @tenant AND p.team_id = @team AND p.superseded_at IS NULL", key: []string{"p.id"},
	joins: slices.Concat([]insights.Join{insights.AgentJoin("p.agent_id"),
		{Alias: "ua", SQL: "LEFT JOIN agency_agent ua ON ua.tenant_id = @tenant AND ua.id = p.upline_agent_id"},
	}, payStatusJoins("p.agent_id")),
	Fields: slices.Concat(agentFields(), []Field{
		{Name: "uplineAgentCode", Type: value.Text, Description: "Code of the direct upline, also of one that was deleted since; null for none.",
			sql: "coalesce(ua.code, p.deleted_upline_code)", join: "ua"},
		{Name: "uplineFirstName", Type: value.Text, Description: "First name of the direct upline.", sql: "ua.first_name", join: "ua"},
		{Name: "uplineLastName", Type: value.Text, Description: "Last name of the direct upline.", sql: "ua.last_name", join: "ua"},
	}, periodFields(), standingFields()),
}

var levelPeriodsDataset = &Dataset{
	Name: "levelPeriods", Description: "Every period of an agent level (rank) of every agent, past and future.", Scope: agentsScope,
	from: "agency_level_period p", where: "p.tenant_id = @tenant AND p.team_id = @team AND p.superseded_at IS NULL", key: []string{"p.id"},
	joins: slices.Concat([]insights.Join{insights.AgentJoin("p.agent_id"),
		{Alias: "al", SQL: "LEFT JOIN agency_agent_level al ON al.tenant_id = @tenant AND al.team_id = @team AND al.value = p.level"},
	}, payStatusJoins("p.agent_id")),
	Fields: slices.Concat(agentFields(), []Field{
		{Name: "agentLevel", Type: value.Integer, Description: "Agent level in the period.", sql: "p.level"},
		{Name: "agentLevelName", Type: value.Text, Description: "Name of the agent level.", sql: "al.name", join: "al"},
	}, periodFields(), standingFields()),
}
