package insights

import (
	"slices"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

// metrics are the metrics of the leaderboard, with the day that counts for each.
var metrics = map[string]string{
	"issuedPremium": "issued_on", "submittedPremium": "submitted_on", "placedPremium": "placed_on", "policyCount": "issued_on", "recruits": "issued_on",
}

var leaderboard = &Report{
	Slug: "leaderboard", Title: "Leaderboard", MaxPageSize: 500, Scoped: true,
	Description: "Agents by what they did themselves in a range of days, the best first; equal values share a rank. The previous rank and value are those of as many days right before.",
	Parameters: slices.Concat([]Parameter{
		{Name: "metric", Type: value.Text, Description: "Ranked by.", Default: Constant("issuedPremium"),
			Allowed: []string{"issuedPremium", "submittedPremium", "placedPremium", "policyCount", "recruits"}},
	}, rangeParameters, []Parameter{
		{Name: "minLevel", Type: value.Integer, Most: maxAgentLevel, Description: "Only agents who hold at least this agent level on the last day."},
		{Name: "maxLevel", Type: value.Integer, Most: maxAgentLevel, Description: "Only agents who hold at most this agent level on the last day."},
	}),
	Columns: []Column{
		{Key: "rank", Label: "Rank", Type: value.Integer, SQL: "q.place", Sort: "place"},
		{Key: "previousRank", Label: "Previous rank", Type: value.Integer, SQL: "q.previous_place", Sort: "previous_place"},
		{Key: "agentCode", Label: "Agent code", Type: value.Text, SQL: "a.code"},
		{Key: "name", Label: "Name", Type: value.Text, SQL: agentName},
		{Key: "agentLevel", Label: "Agent level", Type: value.Integer, SQL: "l.level"},
		{Key: "directUpline", Label: "Direct upline", Type: value.Text, SQL: UplineCode("u")},
		{Key: "value", Label: "Value", Type: value.Decimal, Measure: true, SQL: "CAST(q.value AS text)", Sort: "value", From: measure},
		{Key: "previousValue", Label: "Previous value", Type: value.Decimal, SQL: "CAST(q.previous_value AS text)", Sort: "previous_value", From: measure},
		{Key: "policyCount", Label: "Policies", Type: value.Integer, SQL: "q.policy_count", Sort: "policy_count"},
	},
	Order: []string{"place", "agent_id"}, Keys: []string{"agent_id"},
	Check: func(r *Run) error {
		if r.Given("maxLevel") && r.Int("maxLevel") < r.Int("minLevel") {
			return problem.Invalid(problem.OutOfRange, "must not be less than minLevel", "parameters", "maxLevel")
		}
		return checkRange(r)
	},
	Core: leaderboardCore,
	Detail: func(r *Run, s *store.SQL) {
		agentDetail(r, s)
		r.Write(s, sqlOf(append(UplineJoins("u", "q.agent_id", "@through"), LevelJoin("q.agent_id", "@through"))...))
	},
}

// maxAgentLevel limits a level; agencies have tens or hundreds.
const maxAgentLevel = 1_000_000

// measure writes counts without decimals.
func measure(r *Run, v any) any {
	switch r.Text("metric") {
	case "policyCount", "recruits":
		return v.(*money.Sum).Hundredths()
	}
	return v
}

// leaderboardCore adds up both ranges in one pass, then ranks. An agent with nothing in a
// range has no value in it, and comes last in its ranking.
func leaderboardCore(r *Run, s *store.SQL) {
	from, through := r.Day("from"), r.Day("through")
	before := from.AddDays(int(from - through - 1))
	r.With(s, before, through)
	now := "f.day >= " + s.Arg(from)
	value, previous := store.Sum(r.Postgres, "CASE WHEN "+now+" THEN f.amount END"), store.Sum(r.Postgres, "CASE WHEN NOT "+now+" THEN f.amount END")
	s.Write(`SELECT * FROM (SELECT g.*, rank() OVER (ORDER BY g.value DESC NULLS LAST) AS place,
			CASE WHEN g.previous_value IS NOT NULL THEN rank() OVER (ORDER BY g.previous_value DESC NULLS LAST) END AS previous_place
		FROM (SELECT f.agent_id, ` + value + ` AS value, ` + previous + ` AS previous_value,
				CAST(sum(CASE WHEN ` + now + ` THEN f.policies ELSE 0 END) AS bigint) AS policy_count
			FROM (`)
	leaderboardFacts(r, s, before, through)
	join, condition := r.Within(s, "f.agent_id", "f.day")
	s.Write(") f" + join + " WHERE true" + condition + " GROUP BY f.agent_id) g")
	if r.Given("minLevel") || r.Given("maxLevel") {
		r.Write(s, " WHERE EXISTS (SELECT 1 FROM agency_level_period l WHERE l.tenant_id = @tenant AND l.team_id = @team AND l.agent_id = g.agent_id AND "+history.Covers("l", "@through"))
		s.Write(" AND l.level >= ?", r.Int("minLevel"))
		if r.Given("maxLevel") {
			s.Write(" AND l.level <= ?", r.Int("maxLevel"))
		}
		s.Write(")")
	}
	s.Write(") ranked WHERE value IS NOT NULL")
}

// leaderboardFacts writes the facts to add up: the agent, the day, the contribution to
// the metric, and the number of policies. An agent is recruited by its first direct
// upline, on the first day on which it has one.
func leaderboardFacts(r *Run, s *store.SQL, first, last date.Date) {
	day, metric := metrics[r.Text("metric")], r.Text("metric")
	amount := map[string]string{"policyCount": "1", "recruits": "NULL"}[metric]
	if amount == "" {
		amount = "f.annual_premium_cents"
	}
	s.Write("SELECT f.agent_id, f."+day+" AS day, "+amount+" AS amount, 1 AS policies FROM insights_production_record f WHERE f.tenant_id = ? AND f."+day+" >= ? AND f."+day+" <= ?", r.Tenant.ID, first, last)
	if metric == "recruits" {
		s.Write(` UNION ALL SELECT p.upline_agent_id, p.effective_from, 1, 0 FROM agency_upline_period p
			WHERE p.tenant_id = ? AND p.team_id = ? AND p.superseded_at IS NULL AND p.upline_agent_id IS NOT NULL AND p.effective_from >= ? AND p.effective_from <= ?
				AND NOT EXISTS (SELECT 1 FROM agency_upline_period e WHERE e.tenant_id = p.tenant_id AND e.team_id = p.team_id AND e.agent_id = p.agent_id
					AND e.superseded_at IS NULL AND (e.upline_agent_id IS NOT NULL OR e.deleted_upline_code IS NOT NULL) AND e.effective_from < p.effective_from)`,
			r.Tenant.ID, r.team, first, last)
	}
}
