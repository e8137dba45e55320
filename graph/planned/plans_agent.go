package planned

import (
	"context"
	"fmt"
	"io"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Agents answers a field for which the executor has found one or several agents, by the
// plan of its selection: the payload of a mutation, an event, a report. ok is false if
// the selection has no plan, or only columns of agents that were read already, and if the
// plan leaves the answer to the executor.
func (p Plans) Agents(ctx context.Context, fc *graphql.FieldContext, res any) (answer graphql.Marshaler, ok bool, err error) {
	agents, isList := agentsIn(res)
	if p.Types == nil || len(agents) == 0 || !agents[0].Unread && !asksForMore(fc.Field.Selections) {
		return nil, false, nil
	}
	t, variables := tenant.From(ctx), graphql.GetOperationContext(ctx).Variables
	compiled := p.of(p.Types.agentsByID, fc.Field, variables)
	if t == nil || compiled == nil {
		return nil, false, nil
	}
	ids := make([]int64, len(agents))
	for i, a := range agents {
		ids[i] = a.ID
	}
	found, err := p.objects(ctx, compiled, agents[0].At, ids, func(ctx context.Context, ids []int64) (map[int64]plan.Written, error) {
		run := p.run(ctx, t, variables, agents[0].At)
		run.IDs = ids
		return compiled.Each(run)
	})
	for _, id := range ids {
		if found[id].JSON == nil { // deleted meanwhile
			return nil, false, err
		}
	}
	return written(ctx, ids, found, isList), true, nil
}

// Field reads a field of the agents or tags with some ids, for its resolver. It returns the
// field's JSON by the ids.
func (p Plans) Field(ctx context.Context, f *ast.Field, at history.AsOf, ids []int64) (map[int64][]byte, error) {
	of, rows := p.Types.agent, agentsByID
	if f.ObjectDefinition.Name == model.TagNode {
		of, rows = tagType, tagsByID
	}
	variables := graphql.GetOperationContext(ctx).Variables
	run := p.run(ctx, tenant.From(ctx), variables, at)
	run.IDs = ids
	found, err := plan.New(plan.ByID(of.Fields[f.Name], rows), f, variables).Each(run)
	values := map[int64][]byte{}
	for id, one := range found {
		values[id] = one.JSON
		if len(one.Failures) > 0 {
			return nil, one.Failures[0].Err
		}
	}
	return values, err
}

// objects reads the JSON of objects together with that of their siblings with the same
// plan. (Siblings can have different plans: a field of a fragment that is spread twice
// may ask for more in one of the two places.)
func (p Plans) objects(ctx context.Context, compiled *plan.Plan, at history.AsOf, ids []int64, read loader.Fetch[plan.Written]) (map[int64]plan.Written, error) {
	batch := loader.Get(ctx, loader.Key{Relation: "plan", AsOf: at, Args: fmt.Sprintf("%p", compiled)}, read)
	if len(ids) > 1 {
		return batch.Prime(ctx, ids)
	}
	one, err := batch.Load(ctx, ids[0])
	return map[int64]plan.Written{ids[0]: one}, err
}

// written writes the objects with some ids, for the field of a context.
func written(ctx context.Context, ids []int64, objects map[int64]plan.Written, isList bool) graphql.Marshaler {
	for i, id := range ids {
		at := ctx
		if isList {
			at = graphql.WithPathContext(ctx, graphql.NewPathWithIndex(i))
		}
		tell(at, objects[id].Failures)
		if objects[id].IsNull { // a list has no elements that are null
			return graphql.Null
		}
	}
	return graphql.WriterFunc(func(w io.Writer) {
		if !isList {
			_, _ = w.Write(objects[ids[0]].JSON)
			return
		}
		separator := "["
		for _, id := range ids {
			_, _ = io.WriteString(w, separator)
			_, _ = w.Write(objects[id].JSON)
			separator = ","
		}
		_, _ = io.WriteString(w, "]")
	})
}

// agentsIn returns the agents that a field holds.
func agentsIn(res any) (agents []*model.Agent, isList bool) {
	switch v := res.(type) {
	case *model.Agent:
		if v != nil {
			agents = append(agents, v)
		}
	case model.Agent:
		agents = append(agents, &v)
	case []*model.Agent:
		return v, true
	}
	return agents, false
}

// asksForMore reports whether a selection of an agent has more than its columns.
func asksForMore(s ast.SelectionSet) bool {
	for _, selection := range s {
		if f, ok := selection.(*ast.Field); !ok || len(f.SelectionSet) > 0 {
			return true
		}
	}
	return false
}

// agentsByID are the agents of Run.IDs.
func (t *types) agentsByID(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	return plan.ByID(t.here, agentsByID)(c, at, f)
}
