package resolve

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/read"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
)

func (r queryResolver) HierarchyDiff(ctx context.Context, team string, rootAgentCode *string, fromDate date.Date, toDate date.Date, maxChanges int, afterAgentCode *string) (*model.HierarchyDiff, error) {
	if err := checkDiff(fromDate, toDate, maxChanges); err != nil {
		return nil, err
	}
	teamID, err := r.Agency.Team(ctx, team)
	if err != nil {
		return nil, err
	}
	root, err := r.rootID(ctx, rootAgentCode)
	if err != nil {
		return nil, err
	}
	c := hierarchy.Comparison{TeamID: teamID, RootID: root, From: fromDate, To: toDate, Most: maxChanges}
	if afterAgentCode != nil {
		c.After = *afterAgentCode
	}
	d, err := r.Hierarchy.Compare(ctx, r.Store, c)
	if err != nil {
		return nil, err
	}
	byID, err := r.agentCodes(ctx).Prime(ctx, inDiff(d))
	if err != nil {
		return nil, err
	}
	return &model.HierarchyDiff{
		FromDate: fromDate, ToDate: toDate, Added: people(byID).all(d.Added, toDate), Removed: people(byID).all(d.Removed, fromDate),
		Moved: transfers(d.Moved, byID, fromDate, toDate), LevelChanged: levelChanges(d.LevelChanged, byID, toDate), HasMore: d.More,
		Totals: model.HierarchyDiffTotals(d.Totals),
	}, nil
}

func (r mutationResolver) ReorgApply(ctx context.Context, input model.ReorgInput, dryRun bool) (*model.ReorgPayload, error) {
	out, err := r.Agency.Reorganise(ctx, reorganisation(input), dryRun)
	if err != nil {
		return &model.ReorgPayload{}, err
	}
	byID, err := r.agentCodes(ctx).Prime(ctx, inMoves(out.Moves))
	if err != nil {
		return nil, err
	}
	p := &model.ReorgPayload{Moves: movedAgents(out.Moves, byID, input.EffectiveFrom), AffectedAgentCount: out.AffectedAgents,
		MaxDepthBefore: out.MaxDepthBefore, MaxDepthAfter: out.MaxDepthAfter, Applied: out.Changed && !dryRun}
	p.Build, err = r.build(ctx, input.Team)
	return p, err
}

// maxDiffChanges bounds maxChanges of hierarchyDiff.
const maxDiffChanges = 2000

func checkDiff(from, to date.Date, most int) error {
	var refused problem.List
	if to < from {
		refused.Add(problem.Invalid(problem.OutOfRange, "must not be before fromDate", "toDate"))
	}
	if most < 1 || most > maxDiffChanges {
		refused.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be from 1 to %d", maxDiffChanges), "maxChanges").With("max", maxDiffChanges))
	}
	return refused.Err()
}

// rootID is the id of the agent below which a comparison looks; 0 for all agents.
func (r *Resolver) rootID(ctx context.Context, code *string) (int64, error) {
	if code == nil {
		return 0, nil
	}
	ids, err := r.Agency.AgentIDs(ctx, []string{*code})
	if err == nil && ids[*code] == 0 {
		err = problem.Missing(problem.UnknownAgent, "No agent has this agent code", "rootAgentCode")
	}
	return ids[*code], err
}

// people are the codes of agents by id, to be shown as of a day.
type people map[int64]string

// as returns an agent; nil for id 0, and for an agent that has been deleted.
func (p people) as(id int64, on date.Date) *model.Object {
	if p[id] == "" {
		return nil
	}
	return model.Agent(id, read.Asked(on))
}

// all returns the views of agents, without those that have been deleted.
func (p people) all(ids []int64, on date.Date) []*model.Object {
	shown := make([]*model.Object, 0, len(ids))
	for _, id := range ids {
		if a := p.as(id, on); a != nil {
			shown = append(shown, a)
		}
	}
	return shown
}

// inDiff returns the agents that a diff names.
func inDiff(d hierarchy.Diff) []int64 {
	ids := append(append([]int64{}, d.Added...), d.Removed...)
	for _, t := range d.Moved {
		ids = appendPresent(ids, t.AgentID, t.FromUplineID, t.ToUplineID)
	}
	for _, l := range d.LevelChanged {
		ids = append(ids, l.AgentID)
	}
	return ids
}

func appendPresent(ids []int64, more ...int64) []int64 {
	for _, id := range more {
		if id != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

func transfers(all []hierarchy.Transfer, p people, from, to date.Date) []*model.HierarchyMove {
	shown := make([]*model.HierarchyMove, 0, len(all))
	for _, t := range all {
		if a := p.as(t.AgentID, to); a != nil {
			shown = append(shown, &model.HierarchyMove{Agent: *a, FromUpline: p.as(t.FromUplineID, from), ToUpline: p.as(t.ToUplineID, to),
				EffectiveFrom: t.Since, Initiator: t.RecordedBy})
		}
	}
	return shown
}

func levelChanges(all []hierarchy.LevelChange, p people, on date.Date) []*model.LevelChange {
	shown := make([]*model.LevelChange, 0, len(all))
	for _, l := range all {
		if a := p.as(l.AgentID, on); a != nil {
			shown = append(shown, &model.LevelChange{Agent: *a, FromLevel: l.From, ToLevel: l.To, EffectiveFrom: l.Since})
		}
	}
	return shown
}

func reorganisation(in model.ReorgInput) agency.Reorganisation {
	moves := make([]agency.Move, len(in.Moves))
	for i, m := range in.Moves {
		moves[i] = agency.Move{AgentCode: m.AgentCode, NewUpline: convert.Field(m.NewUplineAgentCode), NewLevel: convert.Field(m.NewLevel)}
	}
	return agency.Reorganisation{Team: in.Team, Moves: moves, EffectiveFrom: in.EffectiveFrom, Initiator: in.Initiator}
}

// inMoves returns the agents that a reorganisation names.
func inMoves(moves []agency.Moved) (ids []int64) {
	for _, m := range moves {
		ids = appendPresent(ids, m.AgentID, m.FromUplineID, m.ToUplineID)
	}
	return ids
}

func movedAgents(moves []agency.Moved, p people, on date.Date) []*model.ReorgMoveResult {
	shown := make([]*model.ReorgMoveResult, 0, len(moves))
	for _, m := range moves {
		a := p.as(m.AgentID, on)
		if a == nil { // deleted since
			continue
		}
		shown = append(shown, &model.ReorgMoveResult{Agent: *a, FromUpline: p.as(m.FromUplineID, on), ToUpline: p.as(m.ToUplineID, on),
			SubtreeSize: m.SubtreeSize, Upline: optionalChangeSet(m.Upline), Level: optionalChangeSet(m.Level)})
	}
	return shown
}

func optionalChangeSet(c *record.Change) *model.PeriodChangeSet {
	if c == nil {
		return nil
	}
	return convert.ChangeSet(*c)
}
