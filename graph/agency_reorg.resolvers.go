package graph

import (
	"context"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/words/date"
)

func (r queryResolver) HierarchyDiff(ctx context.Context, team string, rootAgentCode *string, fromDate date.Date, toDate date.Date, maxChanges int) (*model.HierarchyDiff, error) {
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
	d, err := hierarchy.Compare(ctx, r.Store, c)
	if err != nil {
		return nil, err
	}
	byID, err := r.agents(ctx).Prime(ctx, inDiff(d))
	if err != nil {
		return nil, err
	}
	return &model.HierarchyDiff{
		FromDate: fromDate, ToDate: toDate, Added: people(byID).all(d.Added, toDate), Removed: people(byID).all(d.Removed, fromDate),
		Moved: transfers(d.Moved, byID, fromDate, toDate), LevelChanged: levelChanges(d.LevelChanged, byID, toDate), HasMore: d.More,
	}, nil
}

func (r mutationResolver) ReorgApply(ctx context.Context, input model.ReorgInput, dryRun bool) (*model.ReorgPayload, error) {
	out, err := r.Agency.Reorganise(ctx, reorganisation(input), dryRun)
	if err != nil {
		return &model.ReorgPayload{}, err
	}
	byID, err := r.agents(ctx).Prime(ctx, inMoves(out.Moves))
	if err != nil {
		return nil, err
	}
	p := &model.ReorgPayload{Moves: movedAgents(out.Moves, byID, input.EffectiveFrom), AffectedAgentCount: out.AffectedAgents,
		MaxDepthBefore: out.MaxDepthBefore, MaxDepthAfter: out.MaxDepthAfter, Applied: out.Changed && !dryRun}
	p.Build, err = r.build(ctx, input.Team)
	return p, err
}
