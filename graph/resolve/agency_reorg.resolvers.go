package resolve

import (
	"context"
	"fmt"
	"time"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/read"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/problem"
)

func (r queryResolver) HierarchyDiff(ctx context.Context, team string, rootAgentCode *string, fromDate date.Date, toDate date.Date, asKnownAt *time.Time, maxChanges int, afterAgentCode *string) (*model.HierarchyDiff, error) {
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
	c := hierarchy.Comparison{TeamID: teamID, RootID: root, From: fromDate, To: toDate, Most: maxChanges, Known: r.Read.AsOf(ctx, &toDate, asKnownAt).Known}
	if afterAgentCode != nil {
		c.After = *afterAgentCode
	}
	d, err := r.Hierarchy.Compare(ctx, r.Store, c)
	if err != nil {
		return nil, err
	}
	return diffView(d, c), nil
}

func diffView(d hierarchy.Diff, c hierarchy.Comparison) *model.HierarchyDiff {
	from, to := read.Asked(c.From), read.Asked(c.To)
	from.Known, to.Known = c.Known, c.Known
	return &model.HierarchyDiff{
		FromDate: c.From, ToDate: c.To, Added: agents(d.Added, to), Removed: agents(d.Removed, from),
		Moved: transfers(d.Moved, from, to), LevelChanged: levelChanges(d.LevelChanged, to), HasMore: d.More,
		Totals: model.HierarchyDiffTotals(d.Totals),
	}
}

func (r mutationResolver) ReorgApply(ctx context.Context, input model.ReorgApplyInput, dryRun bool) (*model.ReorgApplyPayload, error) {
	out, err := r.Agency.Reorganise(ctx, agency.Reorganisation{Team: input.Team, Moves: reorgMoves(input.Moves), EffectiveFrom: input.EffectiveFrom, Initiator: input.Initiator}, dryRun)
	if err != nil {
		return &model.ReorgApplyPayload{}, err
	}
	p := &model.ReorgApplyPayload{AffectedAgentCount: out.AffectedAgents, MaxDepthBefore: out.MaxDepthBefore, MaxDepthAfter: out.MaxDepthAfter, Applied: out.Changed && !dryRun}
	if p.Moves, err = r.movedAgents(ctx, out.Moves, input.EffectiveFrom); err != nil {
		return nil, err
	}
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
	refused.Add(problem.From(within(most, 1, maxDiffChanges, "maxChanges"))...)
	return refused.Err()
}

// within refuses an argument below least or above most.
func within(n, least, most int, field string) error {
	if n < least || n > most {
		return problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be from %d to %d", least, most), field).With("max", most)
	}
	return nil
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

// agentOn is an agent as of a day; nil for id 0.
func agentOn(id int64, on date.Date) *model.Object { return agentAt(id, read.Asked(on)) }

func agentAt(id int64, at history.AsOf) *model.Object {
	if id == 0 {
		return nil
	}
	return model.Agent(id, at)
}

func agents(ids []int64, at history.AsOf) []*model.Object {
	shown := make([]*model.Object, len(ids))
	for i, id := range ids {
		shown[i] = agentAt(id, at)
	}
	return shown
}

func transfers(all []hierarchy.Transfer, from, to history.AsOf) []*model.HierarchyMove {
	shown := make([]*model.HierarchyMove, len(all))
	for i, t := range all {
		shown[i] = &model.HierarchyMove{Agent: *agentAt(t.AgentID, to), FromUpline: agentAt(t.FromUplineID, from), ToUpline: agentAt(t.ToUplineID, to),
			EffectiveFrom: t.Since, Initiator: t.RecordedBy}
	}
	return shown
}

func levelChanges(all []hierarchy.LevelChange, at history.AsOf) []*model.LevelChange {
	shown := make([]*model.LevelChange, len(all))
	for i, l := range all {
		shown[i] = &model.LevelChange{Agent: *agentAt(l.AgentID, at), FromLevel: l.From, ToLevel: l.To, EffectiveFrom: l.Since}
	}
	return shown
}

func reorgMoves(in []*model.ReorgMoveInput) []agency.Move {
	moves := make([]agency.Move, len(in))
	for i, m := range in {
		moves[i] = agency.Move{AgentCode: m.AgentCode, NewUpline: convert.Field(m.NewUplineAgentCode), NewLevel: convert.Field(m.NewLevel), NewPayStatus: convert.Field(m.NewPayStatus)}
	}
	return moves
}

// movedAgents shows moves without those of agents that were deleted since.
func (r *Resolver) movedAgents(ctx context.Context, moves []agency.Moved, on date.Date) ([]*model.ReorgMoveResult, error) {
	moved := make([]int64, len(moves))
	for i, m := range moves {
		moved[i] = m.AgentID
	}
	there, err := r.agentCodes(ctx).Prime(ctx, moved)
	shown := make([]*model.ReorgMoveResult, 0, len(moves))
	for _, m := range moves {
		if there[m.AgentID] != "" {
			shown = append(shown, &model.ReorgMoveResult{Agent: *agentOn(m.AgentID, on), FromUpline: agentOn(m.FromUplineID, on), ToUpline: agentOn(m.ToUplineID, on),
				SubtreeSize: m.SubtreeSize, Upline: optionalChangeSet(m.Upline), Level: optionalChangeSet(m.Level), PayStatus: optionalChangeSet(m.PayStatus)})
		}
	}
	return shown, err
}

func optionalChangeSet(c *record.Change) *model.PeriodChangeSet {
	if c == nil {
		return nil
	}
	return convert.ChangeSet(*c)
}
