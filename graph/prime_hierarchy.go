package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/page"
	"github.com/uplinehq/upline/internal/problem"
)

// downlines primes one of the downline fields of agents and then what is asked
// for of the agents below. Arguments that are refused are left to the field
// itself, which tells.
func (a ahead) downlines(ctx context.Context, f graphql.CollectedField, ids []int64, depth int) error {
	args := arguments(f.ArgumentMap(a.op.Variables))
	if f.Name == "downline" {
		return tellsItself(a.downline(ctx, f, ids, depth))
	}
	view, err := a.r.view(ctx, args.team(), a.at)
	if err != nil {
		return nil
	}
	switch f.Name {
	case "downlineTree":
		err = a.downlineTree(ctx, f, view, args, ids, depth)
	case "downlineSummary":
		err = a.downlineSummary(ctx, f, view, args, ids)
	}
	return tellsItself(err)
}

// tellsItself forgets a refusal, which the field itself repeats.
func tellsItself(err error) error {
	if problem.From(err) != nil {
		return nil
	}
	return err
}

// downlineRead is how the field Agent.downline is read.
type downlineRead struct {
	view  hierarchy.View
	pages *loader.Batch[page.Page[hierarchy.Relation]]
}

// downlineOf is how a field Agent.downline is read.
func (a ahead) downlineOf(ctx context.Context, f graphql.CollectedField) (downlineRead, error) {
	args := arguments(f.ArgumentMap(a.op.Variables))
	view, err := a.r.view(ctx, args.team(), a.at)
	if err != nil {
		return downlineRead{}, err
	}
	levels := hierarchy.Range{Level: args.int("level"), Min: args.int("minLevel"), Max: args.int("maxLevel")}
	paging := page.Args{First: args.int("first"), After: args.string("after"), Last: args.int("last"), Before: args.string("before"), Offset: args.int("offset"), Counted: a.counts(f)}
	return downlineRead{view, a.r.downlines(ctx, view, levels, paging)}, nil
}

func (a ahead) downline(ctx context.Context, f graphql.CollectedField, ids []int64, depth int) error {
	read, err := a.downlineOf(ctx, f)
	if err != nil {
		return err
	}
	pages, err := read.pages.Prime(ctx, ids)
	if err != nil {
		return err
	}
	var below []int64
	for _, p := range pages {
		below = append(below, descendants(p.Items)...)
	}
	return a.agentsByID(ctx, f, below, depth, inConnection...)
}

func (a ahead) downlineTree(ctx context.Context, f graphql.CollectedField, view hierarchy.View, args arguments, ids []int64, depth int) error {
	levels, nodes := args.int("depth"), args.int("maxNodes")
	if levels == nil || nodes == nil || checkTree(*levels, *nodes) != nil {
		return nil
	}
	trees, err := a.r.trees(ctx, view, *levels, *nodes).Prime(ctx, ids)
	if err != nil {
		return err
	}
	var listed []int64
	for _, t := range trees {
		listed = append(listed, listedIn(t)...)
	}
	return a.agentsByID(ctx, f, listed, depth, []string{"nodes", "agent"})
}

// agentsByID goes on below the selections that the paths reach.
func (a ahead) agentsByID(ctx context.Context, f graphql.CollectedField, ids []int64, depth int, paths ...[]string) error {
	byID, err := a.r.agents(ctx).Prime(ctx, ids)
	if err != nil {
		return err
	}
	for _, s := range a.below(f.Selections, paths...) {
		if err := a.agents(ctx, s, present(byID), depth-1); err != nil {
			return err
		}
	}
	return nil
}

func (a ahead) downlineSummary(ctx context.Context, f graphql.CollectedField, view hierarchy.View, args arguments, ids []int64) (err error) {
	summary := model.NewDownlineSummary(view, nil, args.int("maxLevel"))
	for _, sub := range graphql.CollectFields(a.op, f.Selections, nil) {
		switch sub.Name {
		case "totalCount", "directCount", "maxDepth", "byDepth":
			_, err = a.r.summaries(ctx, summary).Prime(ctx, ids)
		case "activeCount", "byPayStatus":
			_, err = a.r.payStatusCounts(ctx, summary).Prime(ctx, ids)
		case "byLevel":
			_, err = a.r.levelCounts(ctx, summary).Prime(ctx, ids)
		case "expiringCertifications":
			within := arguments(sub.ArgumentMap(a.op.Variables)).int("withinDays")
			if within != nil && checkDays(*within) == nil {
				_, err = a.r.expiringCertifications(ctx, summary, *within).Prime(ctx, ids)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// arguments are those of a field that is looked ahead at. The schema has
// checked their types.
type arguments map[string]any

// int returns an argument, nil when it is not given.
func (a arguments) int(name string) *int {
	n, err := optionalInt(a[name])
	if err != nil {
		return nil
	}
	return n
}

func (a arguments) team() string {
	name, _ := a["team"].(string)
	return name
}

func (a arguments) string(name string) *string {
	s, ok := a[name].(string)
	if !ok {
		return nil
	}
	return &s
}
