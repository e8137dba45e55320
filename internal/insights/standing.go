package insights

import (
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
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

// HasW9 is SQL for whether an agent has a W9 on a day.
func HasW9(agent, day string) string {
	return "EXISTS (SELECT 1 FROM agency_w9_period w WHERE w.tenant_id = @tenant AND w.agent_id = " + agent + " AND " + history.Covers("w", day) + ")"
}

// HasDirectDeposit is SQL for whether an agent has direct deposit.
func HasDirectDeposit(agent string) string {
	return "EXISTS (SELECT 1 FROM agency_direct_deposit d WHERE d.tenant_id = @tenant AND d.agent_id = " + agent + ")"
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

// agentRef is an agent in answers.
type agentRef struct {
	id         int64
	code, name string
}

// agents returns agents by their codes: those in the scope of a run on its day, or those
// with some ids.
func (r *Run) agents(ctx context.Context, ids ...int64) ([]agentRef, error) {
	var s store.SQL
	join, condition := "", ""
	if ids == nil {
		join, condition = r.onTheDay(&s, "a.id")
	}
	r.Write(&s, "SELECT a.id, a.code, "+agentName+" FROM agency_agent a"+join+" WHERE a.tenant_id = @tenant"+condition)
	if ids != nil {
		s.Write(" AND " + r.q.In("a.id", s.Arg(r.q.List(ids))))
	}
	s.Write(" ORDER BY a.code")
	return store.Collect(ctx, r.q, func(row store.Scanner) (a agentRef, err error) {
		return a, row.Scan(&a.id, &a.code, &a.name)
	}, s.Text(), s.Args()...)
}

// idsOf returns the ids of agents.
func idsOf(agents []agentRef) []int64 {
	ids := make([]int64, len(agents))
	for i, a := range agents {
		ids[i] = a.id
	}
	return ids
}

// licenceTypes returns the certification types that a run asks for: the one of the
// parameter type, or those of the category LICENSE.
func (r *Run) licenceTypes(ctx context.Context) ([]string, error) {
	if r.Given("type") {
		return []string{r.Text("type")}, nil
	}
	return store.Collect(ctx, r.q, store.ScanOne[string], "SELECT y.code FROM agency_certification_type y WHERE y.tenant_id = $1 AND y.category = 'LICENSE'", r.Tenant.ID)
}

// atOnce is how many agents are looked at together.
const atOnce = 1000

// known tells what is known of agents, some at once.
func (r *Run) known(ctx context.Context, agents []agentRef, n authorization.Needs, tell func(agentRef, *authorization.Agent)) error {
	for some := range slices.Chunk(agents, atOnce) {
		loaded, err := authorization.Load(ctx, r.q, r.asOf(r.Day("onDate")), idsOf(some), n)
		if err != nil {
			return err
		}
		for _, a := range some {
			if of := loaded[a.id]; of != nil {
				tell(a, of)
			}
		}
	}
	return nil
}

// question is what a run asks of agents.
func (r *Run) question(agents []int64) authorization.Question {
	q := authorization.Question{Agents: agents, AsOf: r.asOf(r.Day("onDate"))}
	if r.Given("product") {
		q.Products = []string{r.Text("product")}
	}
	if r.Given("jurisdiction") {
		q.Jurisdictions = []string{r.Text("jurisdiction")}
	}
	return q
}
