package recipe

import (
	"slices"

	"github.com/uplinehq/upline/internal/value"
)

// Pairs of agents on other days than today are found by walking the periods, from each
// agent to its upline and on, as far as the flattened hierarchy goes.
const downlinePeriods = `(WITH RECURSIVE pair(ancestor_id, descendant_id, level) AS (
		SELECT p.upline_agent_id, p.agent_id, 1 FROM agency_upline_period p
		WHERE p.tenant_id = @tenant AND p.team_id = @team AND p.upline_agent_id IS NOT NULL AND p.superseded_at IS NULL
			AND p.effective_from <= @onDate AND (p.effective_through IS NULL OR p.effective_through >= @onDate)
		UNION
		SELECT p.upline_agent_id, pair.descendant_id, pair.level + 1 FROM pair JOIN agency_upline_period p
			ON p.tenant_id = @tenant AND p.team_id = @team AND p.agent_id = pair.ancestor_id AND p.upline_agent_id IS NOT NULL AND p.superseded_at IS NULL
			AND p.effective_from <= @onDate AND (p.effective_through IS NULL OR p.effective_through >= @onDate)
		WHERE pair.level < 64
	) SELECT ancestor_id, descendant_id, level FROM pair) r`

// downlineToday reads the flattened rows, which may be a rebuild behind, as in all reads
// of today's hierarchy.
const downlineToday = `(SELECT c.ancestor_id, c.descendant_id, c.level FROM hierarchy_closure c
		WHERE c.tenant_id = @tenant AND c.team_id = @team) r`

// downlineAgents leaves out agents that were deleted after the rows were flattened.
const downlineAgents = ` JOIN agency_agent a ON a.tenant_id = @tenant AND a.id = r.descendant_id
	JOIN agency_agent ua ON ua.tenant_id = @tenant AND ua.id = r.ancestor_id`

// walkedAgents are those of pairs that were walked, which have no index. The signs keep SQLite from
// making one, and looking up each agent with each other one in it.
const walkedAgents = ` JOIN agency_agent a ON a.tenant_id = @tenant AND a.id = +r.descendant_id
	JOIN agency_agent ua ON ua.tenant_id = @tenant AND ua.id = +r.ancestor_id`

var downlineDataset = &Dataset{
	Name: "downline", Description: "Every pair of an agent and an upline of it, direct or not, on the day.", Scope: agentsScope,
	from: downlinePeriods + walkedAgents, today: downlineToday + downlineAgents, where: "r.level >= 1", key: []string{"r.ancestor_id", "r.descendant_id"},
	joins: slices.Concat(payStatusJoins("r.descendant_id"), levelJoins("r.descendant_id")),
	Fields: slices.Concat([]Field{
		{Name: "uplineAgentCode", Type: value.Text, Description: "Code of the upline.", sql: "ua.code"},
		{Name: "uplineFirstName", Type: value.Text, Description: "First name of the upline.", sql: "ua.first_name"},
		{Name: "uplineLastName", Type: value.Text, Description: "Last name of the upline.", sql: "ua.last_name"},
		{Name: "level", Type: value.Integer, Description: "Distance between the two; 1 is direct.", sql: "r.level"},
	}, agentFields(), standingFields(), []Field{
		{Name: "agentLevel", Type: value.Integer, Description: "Agent level (rank) of the agent on the day.", sql: "l.level", join: "l"},
		{Name: "agentLevelName", Type: value.Text, Description: "Name of that agent level.", sql: "al.name", join: "al"},
	}),
}
