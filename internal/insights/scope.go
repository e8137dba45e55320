package insights

import (
	"context"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/value"
)

// The scopes of a query ("agentCode (root) with scope=personal|downline|agency",
// api "Curated query slugs").
const (
	personal = "personal"
	downline = "downline"
	agency   = "agency"
)

var scopeParameters = []Parameter{
	{Name: "scope", Type: value.Text, Allowed: []string{personal, downline, agency}, DefaultText: "downline with an agentCode, agency without",
		Description: "Whose: of the agent alone, of the agent and everyone below it on the day in question, or of the whole agency.",
		Default: func(r *Run) any {
			if r.Given("agentCode") {
				return downline
			}
			return agency
		}},
	{Name: "agentCode", Type: value.Text, Description: "The agent of the scopes personal and downline."},
}

// scope is the set of agents whose facts a run counts.
type scope struct {
	kind string
	// root is the agent of personal and downline.
	root int64
	// limited is true if the root is the agent of a limited caller.
	limited bool
}

// resolveScope sets the scope of a run; nothing else does. What a limited caller may see
// within it is decided by the store (narrow).
func (r *Run) resolveScope(ctx context.Context) error {
	if !r.Scoped {
		return nil
	}
	if err := r.narrowScope(ctx); err != nil {
		return err
	}
	r.scope.kind = r.Text("scope")
	if r.scope.kind == agency {
		if r.Given("agentCode") {
			return problem.Invalid(problem.NotApplicable, "has no meaning with the scope agency", "parameters", "agentCode")
		}
		return nil
	}
	if r.scope.limited {
		return nil
	}
	if !r.Given("agentCode") {
		return problem.Invalid(problem.Required, "is required with the scopes personal and downline", "parameters", "agentCode")
	}
	var err error
	r.scope.root, err = r.agent(ctx)
	return err
}

// agent finds the agent of the parameter agentCode.
func (r *Run) agent(ctx context.Context) (id int64, err error) {
	found, err := store.One(ctx, r.q, []any{&id}, "SELECT id FROM agency_agent WHERE tenant_id = $1 AND code = $2", r.Tenant.ID, r.Text("agentCode"))
	if err == nil && !found {
		err = problem.Invalid(problem.UnknownAgent, "No agent has this agent code", "parameters", "agentCode")
	}
	return id, err
}

// narrowScope turns the whole agency into the caller's downline, for a caller who is
// limited to one: the caller's own agent becomes the root, and the answer says so. The
// store also narrows the tables (internal/platform/store) to the agents of today's
// downline. So what counts is what such an agent did while it was below the caller by
// uplines whom the caller still sees.
func (r *Run) narrowScope(ctx context.Context) error {
	limit, limited := tenant.LimitOf(ctx)
	if !limited || r.Given("agentCode") || r.Text("scope") == personal {
		return nil
	}
	var code string
	if _, err := store.One(ctx, r.q, []any{&code}, "SELECT code FROM agency_agent WHERE tenant_id = $1 AND id = $2", r.Tenant.ID, limit.AgentID); err != nil {
		return err
	}
	r.scope.limited, r.scope.root = true, limit.AgentID
	r.values["scope"], r.values["agentCode"] = downline, code
	return nil
}

// With begins a SELECT that uses Within for days of a range.
func (r *Run) With(s *store.SQL, from, through date.Date) {
	if r.scope.kind == downline {
		s.Write("WITH RECURSIVE ")
		hierarchy.Spans(s, r.Tenant.ID, r.team, r.scope.root, from, through)
		s.Write(" ")
	}
}

// onTheDay begins a SELECT about the day of the parameter onDate, and returns Within for
// an agent on it.
func (r *Run) onTheDay(s *store.SQL, agent string) (join, condition string) {
	r.With(s, r.Day("onDate"), r.Day("onDate"))
	return r.Within(s, agent, "")
}

// Within returns the clauses that select the facts of the scope: a join, and a condition
// that begins with AND. agent and day are SQL for the agent of the fact and for its day,
// which is within the range given to With; "" if that range is one day. What an agent did
// while it was in the downline counts there, wherever it is today.
func (r *Run) Within(s *store.SQL, agent, day string) (join, condition string) {
	switch r.scope.kind {
	case downline:
		join = " JOIN spans ON spans.agent_id = " + agent
		if day != "" {
			join += " AND " + day + " >= spans.since AND " + day + " <= spans.until"
		}
		if r.Postgres {
			return join, ""
		}
		// SQLite would read the facts of the whole agency, and look up each one's agent.
		return join, " AND " + agent + " IN (SELECT spans.agent_id FROM spans)"
	case personal:
		return "", " AND " + agent + " = " + s.Arg(r.scope.root)
	}
	return "", ""
}

// A downline is large if a tenth of the agency is in it: looking up what a few agents have is better
// done one by one, however few they are of however many.
const large = 10

// sweeping prepares the context of a run about much of the agency: all of it, or a large
// downline (store.Sweeping). PostgreSQL cannot guess the size of a downline; the
// hierarchy knows it.
func (r *Run) sweeping(ctx context.Context) (context.Context, error) {
	if !r.Postgres || !r.Scoped {
		return ctx, nil
	}
	if r.scope.kind != agency {
		var below, all int64
		whole := tenant.Whole(ctx, "how large a downline is beside the agency")
		found, err := store.One(whole, r.q, []any{&below, &all}, `SELECT downline_count, (SELECT CAST(coalesce(sum(n.agents), 0) AS bigint) FROM agency_agent_count n WHERE n.tenant_id = $1)
			FROM hierarchy_node WHERE tenant_id = $1 AND team_id = $2 AND agent_id = $3`, r.Tenant.ID, r.team, r.scope.root)
		if err != nil || !found || below*large < all {
			return ctx, err
		}
	}
	return store.Sweeping(ctx), nil
}
