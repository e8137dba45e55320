package resolve

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/words/problem"
)

// View is the hierarchy of a team as of a day.
func (r *Resolver) View(ctx context.Context, team string, at history.AsOf) (hierarchy.View, error) {
	id, err := r.Agency.Team(ctx, team)
	return r.Hierarchy.View(id, at, r.Today(ctx)), err
}

func (r *Resolver) chains(ctx context.Context, teamID int64, at history.AsOf, maxLevel *int) *loader.Batch[[]hierarchy.Link] {
	highest := math.MaxInt
	if maxLevel != nil {
		highest = *maxLevel
	}
	view := r.Hierarchy.View(teamID, at, r.Today(ctx))
	key := loader.Key{Relation: "uplineChain", TeamID: teamID, AsOf: at, Args: fmt.Sprint(highest)}
	return loader.Get(ctx, key, func(ctx context.Context, ids []int64) (map[int64][]hierarchy.Link, error) {
		return view.Chain(ctx, r.Store, ids, highest)
	})
}

// Build is the state of a team's flattened hierarchy.
func (r *Resolver) Build(ctx context.Context, team string) (*model.HierarchyBuild, error) {
	id, err := r.Agency.Team(ctx, team)
	if err != nil {
		return nil, err
	}
	b, err := r.Hierarchy.Build(ctx, r.Store, id)
	return found(b, err, func(b *hierarchy.Build) *model.HierarchyBuild { return &model.HierarchyBuild{Build: b} })
}

// buildOf returns the build that a view is read from, once per request; nil for a view
// that is read from the periods.
func (r *Resolver) buildOf(ctx context.Context, view hierarchy.View, team string) (*model.HierarchyBuild, error) {
	if !view.Flattened() || !selects(ctx, "build") {
		return nil, nil
	}
	return loader.All(ctx, loader.Key{Relation: "build", TeamID: view.TeamID}, func(ctx context.Context) (*model.HierarchyBuild, error) {
		return r.Build(ctx, team)
	})
}

// The fields of the downline are read for many agents at once, together with the agents
// that their rows name.

func (r *Resolver) downlines(ctx context.Context, view hierarchy.View, levels hierarchy.Range, args page.Args) *loader.Batch[page.Page[hierarchy.Relation]] {
	return loader.Get(ctx, viewKey("downline", view, levels, args), func(ctx context.Context, ids []int64) (map[int64]page.Page[hierarchy.Relation], error) {
		pages, err := view.Downlines(ctx, r.Store, ids, levels, args)
		if err != nil {
			return nil, err
		}
		var below []int64
		for _, p := range pages {
			below = append(below, descendants(p.Items)...)
		}
		_, err = r.agents(ctx).Prime(ctx, below)
		return pages, err
	})
}

// downlineConnection shows a page of a downline. It leaves out agents that were deleted
// after the rows were flattened.
func (r *Resolver) downlineConnection(view hierarchy.View, p page.Page[hierarchy.Relation], at history.AsOf, agent func(id int64) *agency.Agent) *model.DownlineConnection {
	p = p.Only(func(rel hierarchy.Relation) bool { return agent(rel.DescendantID) != nil })
	return model.ConnectDownline(p, func(rel hierarchy.Relation) *model.Agent { return model.NewAgent(agent(rel.DescendantID), at) },
		func(rel hierarchy.Relation) int { return rel.Level },
		func(ctx context.Context, rel hierarchy.Relation) ([]string, error) { return r.pathTo(ctx, view, rel) })
}

// pathTo returns the codes of the agents on the way from the upper agent of a relation to
// the lower one. It leaves out agents that were deleted after the rows were flattened.
func (r *Resolver) pathTo(ctx context.Context, view hierarchy.View, rel hierarchy.Relation) ([]string, error) {
	above, err := r.allUplines(ctx, view).Load(ctx, rel.DescendantID)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, 0, rel.Level+1)
	for _, up := range above {
		if up.Level <= rel.Level {
			ids = append(ids, up.AncestorID)
		}
	}
	ids = append(ids, rel.DescendantID)
	byID, err := r.agents(ctx).Prime(ctx, ids)
	codes := make([]string, 0, len(ids))
	for _, id := range ids {
		if agent := byID[id]; agent != nil {
			codes = append(codes, agent.AgentCode)
		}
	}
	return codes, err
}

func (r *Resolver) allUplines(ctx context.Context, view hierarchy.View) *loader.Batch[[]hierarchy.Relation] {
	return loader.Get(ctx, viewKey("downline#path", view), func(ctx context.Context, ids []int64) (map[int64][]hierarchy.Relation, error) {
		byAgent, err := view.Uplines(ctx, r.Store, ids)
		if err != nil {
			return nil, err
		}
		var above []int64
		for _, uplines := range byAgent {
			for _, up := range uplines {
				above = append(above, up.AncestorID)
			}
		}
		_, err = r.agents(ctx).Prime(ctx, above)
		return byAgent, err
	})
}

func (r *Resolver) trees(ctx context.Context, view hierarchy.View, depth, maxNodes int) *loader.Batch[hierarchy.Tree] {
	return loader.Get(ctx, viewKey("downlineTree", view, depth, maxNodes), func(ctx context.Context, ids []int64) (map[int64]hierarchy.Tree, error) {
		trees, err := view.Trees(ctx, r.Store, ids, depth, maxNodes)
		if err != nil {
			return nil, err
		}
		var listed []int64
		for _, t := range trees {
			listed = append(listed, listedIn(t)...)
		}
		_, err = r.agents(ctx).Prime(ctx, listed)
		return trees, err
	})
}

// listedIn returns the agents of a tree.
func listedIn(t hierarchy.Tree) []int64 {
	ids := make([]int64, len(t.Nodes))
	for i, n := range t.Nodes {
		ids[i] = n.AgentID
	}
	return ids
}

// viewKey is the loader key of a relation read from a view, with everything else its
// answer depends on.
func viewKey(relation string, view hierarchy.View, args ...any) loader.Key {
	k := loader.Key{Relation: relation, TeamID: view.TeamID, AsOf: view.AsOf}
	if encoded, err := json.Marshal(args); err == nil {
		k.Args = string(encoded)
	}
	return k
}

// members are the flattened pairs of agents, upwards or downwards.
func (r *Resolver) members(ctx context.Context, team string, at history.AsOf, f hierarchy.MemberFilter, up bool, args page.Args) (*model.HierarchyRelationConnection, error) {
	view, err := r.View(ctx, team, at)
	if err != nil {
		return nil, err
	}
	list, err := view.MemberList(ctx, r.Store, f, up)
	if err != nil {
		return nil, err
	}
	p, err := list.Page(ctx, args)
	if err != nil {
		return nil, err
	}
	byID, err := r.agents(ctx).Prime(ctx, append(ancestors(p.Items), descendants(p.Items)...))
	if err != nil {
		return nil, err
	}
	p = p.Only(func(rel hierarchy.Relation) bool { return byID[rel.AncestorID] != nil && byID[rel.DescendantID] != nil })
	c := &model.HierarchyRelationConnection{Connection: model.Connect(p, func(rel hierarchy.Relation) *model.HierarchyRelation {
		return &model.HierarchyRelation{Team: team, Level: rel.Level,
			Ancestor: model.NewAgent(byID[rel.AncestorID], at), Descendant: model.NewAgent(byID[rel.DescendantID], at)}
	})}
	c.Build, err = r.buildOf(ctx, view, team)
	return c, err
}

// UplineMemberFilter turns a filter of uplines into that of the hierarchy.
func UplineMemberFilter(f *model.UplineMemberFilter) hierarchy.MemberFilter {
	if f == nil {
		return hierarchy.MemberFilter{}
	}
	return hierarchy.MemberFilter{AgentCode: convert.Value(f.AgentCode), OtherCode: convert.Value(f.UplineAgentCode),
		Range: hierarchy.Range{Level: convert.Value(f.UplineLevel), Min: convert.Value(f.MinUplineLevel), Max: convert.Value(f.MaxUplineLevel)}}
}

// DownlineMemberFilter turns a filter of downlines into that of the hierarchy.
func DownlineMemberFilter(f *model.DownlineMemberFilter) hierarchy.MemberFilter {
	if f == nil {
		return hierarchy.MemberFilter{}
	}
	return hierarchy.MemberFilter{AgentCode: convert.Value(f.AgentCode), OtherCode: convert.Value(f.DownlineAgentCode),
		Range: hierarchy.Range{Level: convert.Value(f.DownlineLevel), Min: convert.Value(f.MinDownlineLevel), Max: convert.Value(f.MaxDownlineLevel)}}
}

func ancestors(relations []hierarchy.Relation) []int64 {
	ids := make([]int64, len(relations))
	for i, rel := range relations {
		ids[i] = rel.AncestorID
	}
	return ids
}

func descendants(relations []hierarchy.Relation) []int64 {
	ids := make([]int64, len(relations))
	for i, rel := range relations {
		ids[i] = rel.DescendantID
	}
	return ids
}

func treeNodes(nodes []hierarchy.TreeNode, byID map[int64]*agency.Agent, at history.AsOf) []*model.HierarchyNode {
	shown := make([]*model.HierarchyNode, 0, len(nodes))
	for _, n := range nodes {
		a := byID[n.AgentID]
		if a == nil { // deleted after the rows were flattened
			continue
		}
		node := &model.HierarchyNode{Agent: model.NewAgent(a, at), Depth: n.Depth, DirectCount: n.DirectCount,
			DownlineCount: n.DownlineCount, HasMore: n.HasMore}
		if n.ParentID != nil && byID[*n.ParentID] != nil {
			node.ParentAgentCode = &byID[*n.ParentID].AgentCode
		}
		shown = append(shown, node)
	}
	return shown
}

// The bounds of downlineTree.
const (
	maxTreeDepth = 12
	maxTreeNodes = 2000
)

// CheckTree refuses a tree that is too deep, or too large.
func CheckTree(depth, nodes int) error {
	var refused problem.List
	if depth < 1 || depth > maxTreeDepth {
		refused.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be from 1 to %d", maxTreeDepth), "depth").With("max", maxTreeDepth))
	}
	if nodes < 1 || nodes > maxTreeNodes {
		refused.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be from 1 to %d", maxTreeNodes), "maxNodes").With("max", maxTreeNodes))
	}
	return refused.Err()
}

// maxDays bounds withinDays: a hundred years.
const maxDays = 36525

// CheckDays refuses a number of days that is out of range.
func CheckDays(days int) error {
	if days < 0 || days > maxDays {
		return problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be from 0 to %d", maxDays), "withinDays").With("max", maxDays)
	}
	return nil
}
