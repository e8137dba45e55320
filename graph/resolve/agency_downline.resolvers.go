package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/hierarchy"
)

func (r agentResolver) Downline(ctx context.Context, obj *model.Agent, team string, level *int, minLevel *int, maxLevel *int, first *int, after *string, last *int, before *string, offset *int) (*model.DownlineConnection, error) {
	view, err := r.View(ctx, team, obj.At)
	if err != nil {
		return nil, err
	}
	levels := hierarchy.Range{Level: level, Min: minLevel, Max: maxLevel}
	p, err := r.downlines(ctx, view, levels, paging(ctx)).Load(ctx, obj.ID)
	if err != nil {
		return nil, err
	}
	byID, err := r.agents(ctx).Prime(ctx, descendants(p.Items))
	if err != nil {
		return nil, err
	}
	return r.downlineConnection(view, p, obj.At, func(id int64) *agency.Agent { return byID[id] }), nil
}

func (r agentResolver) DownlineTree(ctx context.Context, obj *model.Agent, team string, depth int, maxNodes int) (*model.HierarchyTree, error) {
	if err := CheckTree(depth, maxNodes); err != nil {
		return nil, err
	}
	view, err := r.View(ctx, team, obj.At)
	if err != nil {
		return nil, err
	}
	t, err := r.trees(ctx, view, depth, maxNodes).Load(ctx, obj.ID)
	if err != nil {
		return nil, err
	}
	byID, err := r.agents(ctx).Prime(ctx, listedIn(t))
	if err != nil {
		return nil, err
	}
	tree := &model.HierarchyTree{Root: obj, AsOf: obj.At.Day, Truncated: t.Truncated, Nodes: treeNodes(t.Nodes, byID, obj.At)}
	tree.Build, err = r.buildOf(ctx, view, team)
	return tree, err
}

func (r agentResolver) DownlineSummary(ctx context.Context, obj *model.Agent, team string, _ *int) (*model.DownlineSummary, error) {
	_, err := r.Agency.Team(ctx, team)
	return &model.DownlineSummary{Agent: obj}, err
}

func (r downlineSummaryResolver) TotalCount(ctx context.Context, obj *model.DownlineSummary) (int, error) {
	return inside[int](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID)
}

func (r downlineSummaryResolver) ActiveCount(ctx context.Context, obj *model.DownlineSummary) (int, error) {
	return inside[int](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID)
}

func (r downlineSummaryResolver) DirectCount(ctx context.Context, obj *model.DownlineSummary) (int, error) {
	return inside[int](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID)
}

func (r downlineSummaryResolver) MaxDepth(ctx context.Context, obj *model.DownlineSummary) (int, error) {
	return inside[int](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID)
}

func (r downlineSummaryResolver) ByDepth(ctx context.Context, obj *model.DownlineSummary) ([]*model.CountByInt, error) {
	return inside[[]*model.CountByInt](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID, "key", "count")
}

func (r downlineSummaryResolver) ByLevel(ctx context.Context, obj *model.DownlineSummary) ([]*model.CountByString, error) {
	return inside[[]*model.CountByString](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID, "key", "count")
}

func (r downlineSummaryResolver) ByPayStatus(ctx context.Context, obj *model.DownlineSummary) ([]*model.CountByString, error) {
	return inside[[]*model.CountByString](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID, "key", "count")
}

func (r downlineSummaryResolver) ExpiringCertifications(ctx context.Context, obj *model.DownlineSummary, _ int) (int, error) {
	return inside[int](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID)
}
