package agency

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/problem"
)

// reorg is a reorganisation while it is under way.
type reorg struct {
	*record.Writing
	Reorganisation
	teamID int64
	// agentIDs are the agents of the moves, in order of the moves; uplines has the ids of
	// the new uplines by code.
	agentIDs []int64
	uplines  map[string]int64
}

// resolve locks the hierarchy and then the agents, and checks everything that the moves
// refer to.
func (r *reorg) resolve(ctx context.Context) (err error) {
	if r.teamID, err = record.TeamID(ctx, r, r.Team); err != nil {
		return err
	}
	if err := hierarchy.Lock(ctx, r.Tx, r.teamID); err != nil {
		return err
	}
	var codes, uplines []string
	for _, m := range r.Moves {
		codes = append(codes, m.AgentCode)
		if m.NewUpline.Value != nil {
			uplines = append(uplines, *m.NewUpline.Value)
		}
	}
	agents, err := r.LockNamed(ctx, codes)
	if err != nil {
		return err
	}
	if r.uplines, err = record.AgentIDs(ctx, r, uplines); err != nil {
		return err
	}
	return r.references(ctx, agents)
}

func (r *reorg) references(ctx context.Context, agents map[string]int64) error {
	var refused problem.List
	levels, statuses := known[int]{}, known[string]{}
	for i, m := range r.Moves {
		id, known := agents[m.AgentCode]
		if !known {
			refused.Add(problem.From(record.UnknownAgent(ofMove(i, "agentCode")...))...)
		}
		r.agentIDs = append(r.agentIDs, id)
		if u := m.NewUpline.Value; u != nil && r.uplines[*u] == 0 {
			refused.Add(unknownUpline(ofMove(i, "newUplineAgentCode")...))
		}
		if err := levels.check(ctx, r, &refused, record.LevelTable(r.teamID), m.NewLevel.Value, ofMove(i, "newLevel")...); err != nil {
			return err
		}
		if err := statuses.check(ctx, r, &refused, record.PayStatusTable, m.NewPayStatus.Value, ofMove(i, "newPayStatus")...); err != nil {
			return err
		}
	}
	return refused.Err()
}

// known are the problems of values that moves refer to; nil for none.
type known[T comparable] map[T]*problem.Error

func (k known[T]) check(ctx context.Context, r *reorg, refused *problem.List, of record.ReferenceTable, value *T, field ...string) (err error) {
	if value == nil {
		return nil
	}
	if _, asked := k[*value]; !asked {
		if k[*value], err = r.Reference(ctx, of, *value); err != nil {
			return err
		}
	}
	if p := k[*value]; p != nil {
		refused.Add(p.Under(field...))
	}
	return nil
}

// applyUplines writes all uplines before it looks for cycles.
func (r *reorg) applyUplines(ctx context.Context, moves []Moved) error {
	h, err := uplines.Read(ctx, r.Writing, r.teamID, r.agentIDs...)
	if err != nil {
		return err
	}
	plans := make([]history.Plan[uplineRef], len(moves))
	for i, m := range r.Moves {
		if !m.NewUpline.Sent {
			continue
		}
		upline := r.newUpline(i)
		if r.toItself(i) { // is refused; the others are judged with this one as a root
			upline = uplineRef{}
		}
		if plans[i], err = h.Apply(r.Writing, r.agentIDs[i], history.Period[uplineRef]{From: r.EffectiveFrom, Value: upline}); err != nil {
			return err
		}
	}
	if err := record.FirstOf(h.Write(ctx, r.Writing), r.refuseCircular(ctx)); err != nil {
		return err
	}
	text, err := uplineCodes(ctx, r.Writing, plans...)
	if err != nil {
		return err
	}
	for i, m := range r.Moves {
		if m.NewUpline.Sent {
			moves[i].Upline = new(h.Describe(r.agentIDs[i], plans[i], r.EffectiveFrom, text))
			warnRebuild(moves[i].Upline)
		}
	}
	return nil
}

// newUpline returns the upline that a move names; nobody if it names none.
func (r *reorg) newUpline(i int) uplineRef {
	if code := r.Moves[i].NewUpline.Value; code != nil {
		return uplineRef{id: r.uplines[*code]}
	}
	return uplineRef{}
}

func (r *reorg) toItself(i int) bool { return r.newUpline(i).id == r.agentIDs[i] }

// refuseCircular refuses each move to an upline that is below the agent.
func (r *reorg) refuseCircular(ctx context.Context) error {
	circular, err := hierarchy.CheckCycles(ctx, r.Tx, r.teamID, r.agentIDs, r.EffectiveFrom)
	if err != nil {
		return err
	}
	var refused problem.List
	for i, m := range r.Moves {
		id := r.agentIDs[i]
		var err error
		switch p := circular[id]; {
		case !m.NewUpline.Sent:
		case r.toItself(i):
			err = hierarchy.CheckCycle(ctx, r.Tx, r.teamID, id, id, r.EffectiveFrom, nil)
		case p != nil:
			err = p
		}
		problems, fault := record.AsProblems(record.Renamed(err, ofMove(i, "newUplineAgentCode")))
		if fault != nil {
			return fault
		}
		refused = append(refused, problems...)
	}
	return refused.Err()
}

// applyValues writes the values of a relation that moves have.
func applyValues[T comparable](ctx context.Context, r *reorg, d *record.DatedValue[T], teamID int64, value func(Move) *T, moves []Moved, into func(*Moved) **record.Change) error {
	if !slices.ContainsFunc(r.Moves, func(m Move) bool { return value(m) != nil }) {
		return nil
	}
	h, err := d.Read(ctx, r.Writing, teamID, r.agentIDs...)
	if err != nil {
		return err
	}
	for i, m := range r.Moves {
		v := value(m)
		if v == nil {
			continue
		}
		plan, err := h.Apply(r.Writing, r.agentIDs[i], history.Period[T]{From: r.EffectiveFrom, Value: *v})
		if err != nil {
			return err
		}
		*into(&moves[i]) = new(d.Describe(r.Writing, h, r.agentIDs[i], plan, r.EffectiveFrom))
	}
	return h.Write(ctx, r.Writing)
}
