package resolve

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
)

// agentCodes reads the codes of agents by id; it has an empty one for ids of no agent.
func (r *Resolver) agentCodes(ctx context.Context) *loader.Batch[string] {
	return loader.Get(ctx, loader.Key{Relation: "agent"}, r.Agency.AgentCodes)
}

// nested is a connection below each of several parents: the same page of each parent's
// list.
type nested[R any] struct {
	relation string
	args     page.Args
	// what else the answer depends on
	filter any
	list   func(ctx context.Context, owners []int64) (listing.List[R], error)
}

func (n nested[R]) key() loader.Key {
	k := loader.Key{Relation: n.relation}
	if encoded, err := json.Marshal([]any{n.args, n.filter}); err == nil {
		k.Args = string(encoded)
	}
	return k
}

func (n nested[R]) pages(ctx context.Context) *loader.Batch[page.Page[R]] {
	return loader.Get(ctx, n.key(), func(ctx context.Context, ids []int64) (map[int64]page.Page[R], error) {
		l, err := n.list(ctx, ids)
		if err != nil {
			return nil, err
		}
		return l.Pages(ctx, ids, n.args)
	})
}

// connection returns the connection of one parent.
func connection[R, T any](ctx context.Context, n nested[R], owner int64, view func(R) *T) (*model.Connection[T], error) {
	p, err := n.pages(ctx).Load(ctx, owner)
	if err != nil {
		return nil, err
	}
	c := model.Connect(p, view)
	c.Grouped = func(ctx context.Context, by []string, first int) ([]*model.Group, error) {
		groups, err := n.groups(ctx, by, first).Load(ctx, owner)
		return groupsOf(by, groups), err
	}
	return &c, nil
}

// groups are the groups of the lists of parents.
func (n nested[R]) groups(ctx context.Context, by []string, first int) *loader.Batch[[]listing.Group] {
	k := n.key()
	k.Relation, k.Args = k.Relation+" groups", k.Args+fmt.Sprint(by, first)
	return loader.Get(ctx, k, func(ctx context.Context, ids []int64) (map[int64][]listing.Group, error) {
		l, err := n.list(ctx, ids)
		if err != nil {
			return nil, err
		}
		return l.Groups(ctx, by, first, ids)
	})
}

func groupsOf(by []string, all []listing.Group) []*model.Group {
	groups := make([]*model.Group, len(all))
	for i, g := range all {
		groups[i] = &model.Group{Count: int(g.Count)}
		for k, name := range by {
			groups[i].Keys = append(groups[i].Keys, &model.GroupKey{By: name, Value: g.Values[k], Label: g.Labels[k]})
		}
	}
	return groups
}

// paging says which page of the connection that is resolved is asked for. The rows are
// counted, together with the page, only if totalCount is asked for.
func paging(ctx context.Context) page.Args {
	args := graphql.GetFieldContext(ctx).Args
	number := func(name string) *int { n, _ := args[name].(*int); return n }
	text := func(name string) *string { s, _ := args[name].(*string); return s }
	return page.Args{First: number("first"), After: text("after"), Last: number("last"), Before: text("before"), Offset: number("offset"), Counted: selects(ctx, "totalCount")}
}

// listConnection returns the connection of a list that has no parent.
func listConnection[R, T any](ctx context.Context, l listing.List[R], view func(R) *T) (*model.Connection[T], error) {
	p, err := l.Page(ctx, paging(ctx))
	if err != nil {
		return nil, err
	}
	c := model.Connect(p, view)
	c.Grouped = func(ctx context.Context, by []string, first int) ([]*model.Group, error) {
		groups, err := l.Groups(ctx, by, first, nil)
		return groupsOf(by, groups[0]), err
	}
	return &c, nil
}

// found returns the view of a record, nil for none.
func found[R, T any](row *R, err error, view func(*R) *T) (*T, error) {
	if row == nil || err != nil {
		return nil, err
	}
	return view(row), nil
}

// views returns the view of each record of a list.
func views[R, T any](rows []*R, view func(*R) *T) []*T {
	shown := make([]*T, len(rows))
	for i, row := range rows {
		shown[i] = view(row)
	}
	return shown
}
