package read

import (
	"context"
	"fmt"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
)

// Fill reads what the field of a context asks for of the objects that its resolver has
// returned, together with its siblings. It returns what the executor has to write; any
// other value it returns as it is.
func (e *Engine) Fill(ctx context.Context, res any) (any, error) {
	switch v := res.(type) {
	case *model.Object:
		if v == nil {
			return v, nil
		}
		return e.one(ctx, v)
	case model.Object:
		if v.Type == "" { // a field that has no value, of an object that is not there
			return nil, nil
		}
		return e.one(ctx, &v)
	case []*model.Object:
		return e.list(ctx, v)
	case []model.Node:
		return v, e.nodes(ctx, v)
	}
	return res, nil
}

func (e *Engine) one(ctx context.Context, o *model.Object) (any, error) {
	if o.Answer != nil { // of Root
		return o.Answer, nil
	}
	if err := e.fill(ctx, []*model.Object{o}, func(int) context.Context { return ctx }); err != nil {
		return nil, err
	}
	if o.Answer == nil {
		return nil, nil
	}
	return o.Answer, nil
}

// list leaves out objects that are not there. No list of the schema has elements that are
// null: if one has no value, the list has none.
func (e *Engine) list(ctx context.Context, objects []*model.Object) (any, error) {
	if len(objects) == 1 && objects[0].Type == "" { // of RootList
		return objects[0].Answer, nil
	}
	if err := e.fill(ctx, objects, elementOf(ctx)); err != nil {
		return nil, err
	}
	there := make(graphql.Array, 0, len(objects))
	for _, o := range objects {
		if o.Answer == graphql.Null {
			return graphql.Null, nil
		}
		if o.Answer != nil {
			there = append(there, o.Answer)
		}
	}
	return there, nil
}

// nodes sets those to nil that are not there.
func (e *Engine) nodes(ctx context.Context, nodes []model.Node) error {
	var objects []*model.Object
	var places []int
	for i, n := range nodes {
		if o, isRead := n.(*model.Object); isRead {
			objects, places = append(objects, o), append(places, i)
		}
	}
	at := elementOf(ctx)
	err := e.fill(ctx, objects, func(i int) context.Context { return at(places[i]) })
	for i, o := range objects {
		if o.Answer == nil || o.Answer == graphql.Null {
			nodes[places[i]] = nil
		}
	}
	return err
}

// elementOf returns the contexts of the elements of the field of a context.
func elementOf(ctx context.Context) func(i int) context.Context {
	return func(i int) context.Context { return graphql.WithPathContext(ctx, graphql.NewPathWithIndex(i)) }
}

// fill sets the answers of objects that were not read yet. It tells what failed in the
// context of each.
func (e *Engine) fill(ctx context.Context, objects []*model.Object, at func(i int) context.Context) error {
	type group struct {
		typeName string
		at       history.AsOf
	}
	groups := map[group][]int{}
	for i, o := range objects {
		switch {
		case o.Answer != nil:
		case o.ID == 0 && o.Code != "":
			if err := e.byCode(ctx, o); err != nil {
				return err
			}
		default:
			g := group{o.Type, o.At}
			groups[g] = append(groups[g], i)
		}
	}
	for g, places := range groups {
		ids := make([]int64, len(places))
		for i, place := range places {
			ids[i] = objects[place].ID
		}
		found, err := e.byID(ctx, g.typeName, g.at, ids)
		if err != nil {
			return err
		}
		for i, place := range places {
			one := found[ids[i]]
			tell(at(place), one.Failures)
			objects[place].Answer = answerOf(one)
		}
	}
	return nil
}

// answerOf is what is written of an object; nil if it is not there.
func answerOf(one plan.Written) graphql.Marshaler {
	switch {
	case one.IsNull:
		return graphql.Null
	case one.JSON == nil:
		return nil
	}
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(one.JSON) })
}

// byID reads objects together with their siblings of the same plan. (Siblings can have
// different plans: a field of a fragment that is spread twice may ask for more in one of
// the two places.)
func (e *Engine) byID(ctx context.Context, typeName string, at history.AsOf, ids []int64) (map[int64]plan.Written, error) {
	f, variables := graphql.GetFieldContext(ctx).Field, graphql.GetOperationContext(ctx).Variables
	compiled := e.plan(planKey{Field: f.Field, Type: typeName}, e.types[typeName].field, f, variables)
	batch := loader.Get(ctx, loader.Key{Relation: "read", AsOf: at, Args: fmt.Sprintf("%p", compiled)}, func(ctx context.Context, ids []int64) (map[int64]plan.Written, error) {
		run := e.run(ctx, nil)
		run.IDs, run.At, run.Ctx = ids, at, visibility.AsKnown(ctx, at)
		return compiled.Each(run)
	})
	if len(ids) > 1 {
		return batch.Prime(ctx, ids)
	}
	one, err := batch.Load(ctx, ids[0])
	return map[int64]plan.Written{ids[0]: one}, err
}

// byCode reads an agent or a provider company by its code.
func (e *Engine) byCode(ctx context.Context, o *model.Object) error {
	f, field, argument := graphql.GetFieldContext(ctx).Field, e.roots["agent"], "agentCode"
	if o.Type == model.ProviderCompanyNode {
		field, argument = providerCompanies.one, "code"
	}
	found, err := e.rooted(ctx, planKey{Field: f.Field, Type: o.Type + " by code"}, field, f, map[string]any{argument: o.Code})
	if err == nil {
		o.Answer = found.Answer
	}
	return err
}
