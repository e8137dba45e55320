package planned

import (
	"context"
	"errors"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/platform/store/fault"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// unplannedKey is the key of the fields, in a context, whose plans have failed.
type unplannedKey struct{}

// unread are the root fields that the executor no longer reads by plans, since one plan
// failed. With an error, the executor does not read them at all.
type unread struct {
	fields []graphql.CollectedField
	err    error
}

func (u unread) has(f graphql.CollectedField) bool {
	return slices.ContainsFunc(u.fields, func(one graphql.CollectedField) bool { return one.Alias == f.Alias })
}

// after says what to do when the plan of the first of some fields has failed. If the
// field itself is refused, the executor runs the fields and reports the refusal. If the
// database failed, the fields are not tried again: the failure took its time, and without
// a connection the next fields would wait in vain, too.
func after(err error, parts []part) unread {
	fields := make([]graphql.CollectedField, len(parts))
	for i, p := range parts {
		fields[i] = p.CollectedField
	}
	switch {
	case fault.IsRefused(err):
		return unread{fields, err}
	case errors.Is(err, plan.ErrElsewhere):
		return unread{fields: fields[:1]}
	}
	return unread{fields[:1], err}
}

// plannedRoots is how many root fields are answered one after the other. A query with
// more is left to the executor, which answers them concurrently.
const plannedRoots = 2

// Query answers a query whose root fields all have plans, without the executor. It
// returns nil if one has no plan or its plan fails; the executor then answers in the
// returned context.
func (p Plans) Query(ctx context.Context, opCtx *graphql.OperationContext) (answer *graphql.Response, elsewhere context.Context) {
	t := tenant.From(ctx)
	if opCtx.Operation.Operation != ast.Query || t == nil || limits.Reports(opCtx) {
		return nil, ctx
	}
	parts, ok := p.whole(ctx, opCtx)
	if !ok {
		return nil, ctx
	}
	base := ctx
	defer func() {
		if value := recover(); value != nil {
			p.note(base, Panicked, parts[0].Name, value)
			answer, elsewhere = nil, base
		}
	}()
	ctx = p.arguments.Inputs(graphql.WithOperationContext(ctx, opCtx))
	for i, f := range parts {
		args, err := p.arguments.Of(ctx, f.Name, f.ArgumentMap(opCtx.Variables))
		if err != nil {
			return nil, base
		}
		run := p.run(ctx, t, opCtx.Variables, p.Types.asOf(ctx, args))
		run.Args = args
		defer run.Release() // if it is not written; at most plannedRoots
		if err := f.plan.Read(run); err != nil {
			p.note(base, GivenUp, f.Name, err)
			return nil, context.WithValue(base, unplannedKey{}, after(err, parts[i:]))
		}
		parts[i].run = run
	}
	b := append(room(), '{')
	for i, f := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(plan.String(b, f.Alias), ':')
		var err error
		if b, err = f.plan.Write(b, f.run); err != nil {
			p.note(base, GivenUp, f.Name, err)
			Release(b)
			return nil, context.WithValue(base, unplannedKey{}, after(err, parts[i:]))
		}
	}
	for _, f := range parts {
		p.note(base, Answered, f.Name, nil)
	}
	return &graphql.Response{Data: append(b, '}')}, nil
}

const queryType = "Query"

// part is a root field of a query.
type part struct {
	graphql.CollectedField
	plan *plan.Plan
	run  *plan.Run
}

// whole returns the root fields of a query if all of them have plans and the caller may
// read them.
func (p Plans) whole(ctx context.Context, op *graphql.OperationContext) (parts []part, ok bool) {
	if len(op.Operation.SelectionSet) > plannedRoots {
		return nil, false
	}
	parts = make([]part, len(op.Operation.SelectionSet))
	for i, selection := range op.Operation.SelectionSet {
		f, isField := selection.(*ast.Field)
		if !isField || len(f.Directives) > 0 || !mayRead(ctx, f.Definition) {
			return nil, false
		}
		field := graphql.CollectedField{Field: f, Selections: f.SelectionSet}
		if parts[i] = (part{CollectedField: field, plan: p.root(queryType, field, op.Variables)}); parts[i].plan == nil {
			return nil, false
		}
		for _, before := range parts[:i] {
			if before.Alias == f.Alias { // they are one field
				return nil, false
			}
		}
	}
	return parts, true
}
