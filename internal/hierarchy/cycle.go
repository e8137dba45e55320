package hierarchy

import (
	"cmp"
	"context"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// CheckCycle refuses an upline that would be below its own agent: "circular hierarchy" is
// rejected (specification, Errors, 7). It looks at every day from from through through
// (nil for an open end), following the chain above the upline through past and future
// periods. The problem is CIRCULAR_HIERARCHY. Its details name the agents of the cycle,
// each below the next and the last below the first, and the first day on which it would
// exist.
//
// Call it after Lock, in the transaction that stores the period.
func CheckCycle(ctx context.Context, tx *store.Tx, teamID, agentID, uplineID int64, from date.Date, through *date.Date) error {
	check, err := AskCycle(ctx, tx, teamID, agentID, uplineID, from, through)
	if err := cmp.Or(err, tx.Flush(ctx)); err != nil {
		return err
	}
	return check(ctx)
}

// AskCycle is CheckCycle in one round trip with everything else that is asked for: check
// refuses the upline after Flush.
func AskCycle(ctx context.Context, tx *store.Tx, teamID, agentID, uplineID int64, from date.Date, through *date.Date) (check func(context.Context) error, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	if agentID == uplineID {
		return func(ctx context.Context) error {
			p, err := circle(ctx, tx, tenantID, []int64{agentID}, nil, from)
			return cmp.Or(err, error(p))
		}, nil
	}
	on, err := askCircularDays(ctx, tx, "CAST($6 AS bigint)", tenantID, teamID, tx.List([]int64{uplineID}), from, date.OrMax(through), agentID)
	return func(ctx context.Context) error {
		if len(on) == 0 {
			return nil
		}
		chains, err := onDay(teamID, on[agentID]).Chain(ctx, tx, []int64{uplineID}, maxLevel)
		if err != nil {
			return err
		}
		p, err := circle(ctx, tx, tenantID, []int64{agentID, uplineID}, chains[uplineID], on[agentID])
		return cmp.Or(err, error(p))
	}, err
}

// CheckCycles is CheckCycle for many agents whose periods are already written: it judges
// the result, whatever the order in which the periods were written. It returns the
// problem of each agent that is above itself on a day from from on.
//
// Call it after Lock, in the transaction that wrote the periods.
func CheckCycles(ctx context.Context, tx *store.Tx, teamID int64, agentIDs []int64, from date.Date) (map[int64]*problem.Error, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	on, err := askCircularDays(ctx, tx, "p.agent_id", tenantID, teamID, tx.List(agentIDs), from, date.Max)
	if err := cmp.Or(err, tx.Flush(ctx)); err != nil {
		return nil, err
	}
	byDay := map[date.Date][]int64{}
	for id, day := range on {
		byDay[day] = append(byDay[day], id)
	}
	problems := make(map[int64]*problem.Error, len(on))
	for day, ids := range byDay {
		chains, err := onDay(teamID, day).Chain(ctx, tx, ids, maxLevel)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if problems[id], err = circle(ctx, tx, tenantID, []int64{id}, chains[id], day); err != nil {
				return nil, err
			}
		}
	}
	return problems, nil
}

// askCircularDays walks up from the agents of a list, $3, over the days $4 to $5, and returns
// after Flush the first day on which each agent that it starts for is above itself: each of the list,
// or another that would be below it. Each step keeps the days that its period shares with
// the step below. UNION drops rows that were already found, so the walk ends on any data.
// The plus sign and CROSS JOIN tell SQLite where to begin; otherwise it would read every
// period of the team for each step.
func askCircularDays(ctx context.Context, tx *store.Tx, start string, args ...any) (map[int64]date.Date, error) {
	shared := func(from, through string) string {
		return `p.upline_agent_id, CASE WHEN p.effective_from > ` + from + ` THEN p.effective_from ELSE ` + from + ` END,
			CASE WHEN p.effective_through < ` + through + ` THEN p.effective_through ELSE ` + through + ` END`
	}
	periods := func(from, through string) string {
		return `agency_upline_period p WHERE p.tenant_id = $1 AND p.team_id = $2 AND p.superseded_at IS NULL AND +p.upline_agent_id IS NOT NULL
			AND p.effective_from <= ` + through + ` AND (p.effective_through IS NULL OR p.effective_through >= ` + from + `)`
	}
	on := map[int64]date.Date{}
	return on, tx.AskAll(ctx, func(row store.Scanner) error {
		var id int64
		var day date.Date
		err := row.Scan(&id, &day)
		on[id] = day
		return err
	}, `WITH RECURSIVE walk(start_id, agent_id, from_day, through_day) AS (
			SELECT `+start+`, `+shared("$4", "$5")+` FROM `+periods("$4", "$5")+` AND `+tx.In("p.agent_id", "$3")+`
			UNION
			SELECT w.start_id, `+shared("w.from_day", "w.through_day")+`
			FROM walk w CROSS JOIN `+periods("w.from_day", "w.through_day")+` AND p.agent_id = w.agent_id AND w.agent_id <> w.start_id
		)
		SELECT w.start_id, min(w.from_day) FROM walk w WHERE w.agent_id = w.start_id GROUP BY w.start_id`, args...)
}

// circle returns the problem of a cycle, given its first agents, each below the next, and
// the chain above them.
func circle(ctx context.Context, q store.Querier, tenantID int64, cycle []int64, above []Link, on date.Date) (*problem.Error, error) {
	for _, link := range above {
		if link.AgentID == cycle[0] {
			break
		}
		cycle = append(cycle, link.AgentID)
	}
	codes := map[int64]string{}
	_, err := store.Collect(ctx, q, func(row store.Scanner) (none struct{}, err error) {
		var id int64
		var code string
		err = row.Scan(&id, &code)
		codes[id] = code
		return none, err
	}, "SELECT id, code FROM agency_agent WHERE tenant_id = $1 AND "+q.In("id", "$2")+store.ByID, tenantID, q.List(cycle))
	if err != nil {
		return nil, err
	}
	named := make([]string, len(cycle))
	for i, id := range cycle {
		named[i] = codes[id]
	}
	return problem.Invalid(problem.CircularHierarchy, "The upline is below the agent on a day of the period", "uplineAgentCode").
		With("cycle", named).With("onDate", on.String()), nil
}
