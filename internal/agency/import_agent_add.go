package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// addAgents adds the agents of rows. What is wrong in a row itself is refused first, and
// only if that is good what it refers to.
func (im *agentImporting) addAgents(ctx context.Context, known *places, rows []*agentRow) error {
	var read []*agentRow
	var agents []*newAgent
	for _, r := range rows {
		refused := r.unread
		if r.code == "" {
			refused.Add(problem.Invalid(problem.Required, "is required", "agentCode"))
		}
		if !im.Refuse(r.i, append(refused, problem.From(im.s.checkRegistration(&r.in, im.Today))...)) {
			read, agents = append(read, r), append(agents, &newAgent{code: r.code, in: Newcomer{Registration: r.in}, later: !r.outside})
		}
	}
	if len(agents) == 0 {
		return nil
	}
	a, err := im.s.adding(ctx, im.Import.Writing, known.teamID, agents)
	if err != nil {
		return err
	}
	a.agents = a.agents[:0]
	for n, r := range read {
		if !im.Refuse(r.i, a.refused(agents[n])) {
			a.agents = append(a.agents, agents[n])
			im.Done(r.i, bulk.Created)
			if r.from != nil {
				im.Tell(r.i, "A new agent has its pay status, upline and level from its start on, not from the day of changes.")
			}
		}
	}
	if err := a.write(ctx); err != nil {
		if isCodeInUse(err) { // somebody has registered it since it was looked up, and is found in the next try
			return store.Again(err)
		}
		return err
	}
	for _, n := range a.agents {
		known.promised[n.id] = n.waits
	}
	return nil
}

// places holds where rows place agents.
type places struct {
	teamID int64
	// promised has the agents that an earlier row of the call places on the second pass.
	promised map[int64]bool
	// moved has the uplines that earlier rows of the call give on the second pass to agents
	// who have a place; "" at the top.
	moved map[int64]string
}
