package recipe

import (
	"slices"

	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/value"
)

// productionDay is the day of a policy that decides about its upline.
const productionDay = "coalesce(r.submitted_on, r.issued_on, r.placed_on)"

func monthField(name, column, what string) Field {
	return Field{Name: name, Type: value.Text, Description: "Month in which " + what + ", YYYY-MM.",
		sql: "to_char(" + column + ", 'YYYY-MM')", sqlite: "substr(" + column + ", 1, 7)"}
}

// productionUplineField is the code of the direct upline on a day of the policy: "Roll-ups
// use the upline in force on the production date" (api "Curated query slugs"). Which date
// that is depends on what a report counts.
func productionUplineField(name, alias, of string) Field {
	return Field{Name: name, Type: value.Text, Description: "Code of the direct upline in force on the day " + of + ", also of one that was deleted since.",
		sql: insights.UplineCode(alias), join: alias + "a"}
}

var productionDataset = &Dataset{
	Name: "production", Description: "Production records: policies, with the days on which they were submitted, issued and placed.", Scope: agentsScope,
	from: "insights_production_record r", where: "r.tenant_id = @tenant", key: []string{"r.id"},
	joins: slices.Concat([]insights.Join{
		insights.AgentJoin("r.agent_id"),
	}, insights.UplineJoins("u", "r.agent_id", productionDay), insights.UplineJoins("iu", "r.agent_id", "r.issued_on"), insights.UplineJoins("pu", "r.agent_id", "r.placed_on"), payStatusJoins("r.agent_id"), levelJoins("r.agent_id")),
	Fields: slices.Concat(agentFields(), []Field{
		{Name: "policyNumber", Type: value.Text, Description: "Number of the policy.", sql: "r.policy_number"},
		{Name: "providerCompany", Type: value.Text, Description: "Code of the provider company.", sql: "r.provider_company"},
		{Name: "productLine", Type: value.Text, Description: "Line of product.", sql: "r.product_line"},
		{Name: "submittedOn", Type: value.Date, Description: "Day on which the policy was submitted.", sql: "r.submitted_on"},
		{Name: "issuedOn", Type: value.Date, Description: "Day on which the policy was issued.", sql: "r.issued_on"},
		{Name: "placedOn", Type: value.Date, Description: "Day on which the policy was placed.", sql: "r.placed_on"},
		monthField("submittedMonth", "r.submitted_on", "the policy was submitted"),
		monthField("issuedMonth", "r.issued_on", "the policy was issued"),
		monthField("placedMonth", "r.placed_on", "the policy was placed"),
		{Name: "annualPremium", Type: value.Decimal, Description: "Annual premium.", sql: "r.annual_premium_cents"},
		productionUplineField("uplineAgentCode", "u", "of the first of these steps"),
		productionUplineField("issuedUplineAgentCode", "iu", "on which the policy was issued"),
		productionUplineField("placedUplineAgentCode", "pu", "on which the policy was placed"),
		{Name: "recordedAt", Type: value.DateTime, Description: "When the record was loaded.", sql: "r.recorded_at"},
	}, standingFields(), []Field{
		{Name: "agentLevel", Type: value.Integer, Description: "Agent level (rank) of the agent on the day of the report.", sql: "l.level", join: "l"},
	}),
}
