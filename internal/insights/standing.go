package insights

import (
	"strings"

	"github.com/uplinehq/upline/internal/history"
)

// What the tables know of an agent, for datasets and curated queries alike. The texts have
// marks (Run.Fill).

// Join is a table that expressions need. It finds at most one row; a join without LEFT
// always finds one. So it can be left out if nothing needs it.
type Join struct {
	Alias, SQL string
	// Needs is the alias of an earlier join that it needs.
	Needs string
}

func sqlOf(joins ...Join) string {
	var b strings.Builder
	for _, j := range joins {
		b.WriteString(" " + j.SQL)
	}
	return b.String()
}

// agentName is SQL for the name of agent a, as people say it.
const agentName = "coalesce(a.common_name, a.first_name) || ' ' || a.last_name"

// AgentJoin joins a, the agent whose id is a column.
func AgentJoin(id string) Join {
	return Join{Alias: "a", SQL: "JOIN agency_agent a ON a.tenant_id = @tenant AND a.id = " + id}
}

// PayStatusJoins join the period s of the pay status that an agent has on a day, and ps,
// what the agency says of that status.
func PayStatusJoins(agent, day string) []Join {
	return []Join{
		{Alias: "s", SQL: "LEFT JOIN agency_pay_status_period s ON s.tenant_id = @tenant AND s.agent_id = " + agent + " AND " + history.Covers("s", day)},
		{Alias: "ps", Needs: "s", SQL: "LEFT JOIN agency_pay_status ps ON ps.tenant_id = @tenant AND ps.name = s.status"},
	}
}

// LevelJoin joins the period l of the level that an agent has on a day.
func LevelJoin(agent, day string) Join {
	return Join{Alias: "l", SQL: "LEFT JOIN agency_level_period l ON l.tenant_id = @tenant AND l.team_id = @team AND l.agent_id = " + agent + " AND " + history.Covers("l", day)}
}

// UplineJoins join the period of the direct upline that an agent has on a day, with an
// alias, and the upline itself, with an a behind the alias.
func UplineJoins(alias, agent, day string) []Join {
	of := alias + "a"
	return []Join{
		{Alias: alias, SQL: "LEFT JOIN agency_upline_period " + alias + " ON " + alias + ".tenant_id = @tenant AND " + alias + ".team_id = @team AND " +
			alias + ".agent_id = " + agent + " AND " + history.Covers(alias, day)},
		{Alias: of, Needs: alias, SQL: "LEFT JOIN agency_agent " + of + " ON " + of + ".tenant_id = @tenant AND " + of + ".id = " + alias + ".upline_agent_id"},
	}
}

// UplineCode is SQL for the code of the upline that UplineJoins join. Its period keeps the
// code of a deleted one.
func UplineCode(alias string) string {
	return "coalesce(" + alias + "a.code, " + alias + ".deleted_upline_code)"
}
