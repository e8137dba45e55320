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
	p, err := r.downlines(ctx, view, levels, pageArgs(ctx, first, after, last, before, offset)).Load(ctx, obj.ID)
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

func (r agentResolver) DownlineSummary(ctx context.Context, obj *model.Agent, team string, maxLevel *int) (*model.DownlineSummary, error) {
	view, err := r.View(ctx, team, obj.At)
	return model.NewDownlineSummary(view, obj, maxLevel), err
}

func (r downlineSummaryResolver) TotalCount(ctx context.Context, obj *model.DownlineSummary) (int, error) {
	s, err := r.summaries(ctx, obj).Load(ctx, obj.Agent.ID)
	return s.Total, err
}

func (r downlineSummaryResolver) ActiveCount(ctx context.Context, obj *model.DownlineSummary) (active int, err error) {
	counts, err := r.payStatusCounts(ctx, obj).Load(ctx, obj.Agent.ID)
	for _, c := range counts {
		if c.IsActive {
			active += c.Count
		}
	}
	return active, err
}

func (r downlineSummaryResolver) DirectCount(ctx context.Context, obj *model.DownlineSummary) (int, error) {
	s, err := r.summaries(ctx, obj).Load(ctx, obj.Agent.ID)
	return s.Direct, err
}

func (r downlineSummaryResolver) MaxDepth(ctx context.Context, obj *model.DownlineSummary) (int, error) {
	s, err := r.summaries(ctx, obj).Load(ctx, obj.Agent.ID)
	return s.MaxDepth, err
}

func (r downlineSummaryResolver) ByDepth(ctx context.Context, obj *model.DownlineSummary) ([]*model.CountByInt, error) {
	s, err := r.summaries(ctx, obj).Load(ctx, obj.Agent.ID)
	counts := make([]*model.CountByInt, len(s.ByDepth))
	for i, c := range s.ByDepth {
		counts[i] = &model.CountByInt{Key: c.Depth, Count: c.Count}
	}
	return counts, err
}

func (r downlineSummaryResolver) ByLevel(ctx context.Context, obj *model.DownlineSummary) ([]*model.CountByString, error) {
	levels, err := r.levelCounts(ctx, obj).Load(ctx, obj.Agent.ID)
	counts := make([]*model.CountByString, len(levels))
	for i, c := range levels {
		counts[i] = &model.CountByString{Key: c.Name, Count: c.Count}
	}
	return counts, err
}

func (r downlineSummaryResolver) ByPayStatus(ctx context.Context, obj *model.DownlineSummary) ([]*model.CountByString, error) {
	statuses, err := r.payStatusCounts(ctx, obj).Load(ctx, obj.Agent.ID)
	counts := make([]*model.CountByString, len(statuses))
	for i, c := range statuses {
		counts[i] = &model.CountByString{Key: c.Status, Count: c.Count}
	}
	return counts, err
}

func (r downlineSummaryResolver) ExpiringCertifications(ctx context.Context, obj *model.DownlineSummary, withinDays int) (int, error) {
	if err := CheckDays(withinDays); err != nil {
		return 0, err
	}
	return r.expiringCertifications(ctx, obj, withinDays).Load(ctx, obj.Agent.ID)
}
