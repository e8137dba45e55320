// Package planned answers reads of the agency by plans, single fields as well as whole
// queries. It has the table of types that plans are compiled from: how each field is
// written, and where each relation is read from. It also keeps compiled plans. graph/plan
// defines what a plan is and how it runs; graph/resolve answers every field without a
// plan.
package planned

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/graph/resolve"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Plans keeps the plans of the root fields of cached documents, one for each combination
// of the values that their directives depend on.
type Plans struct {
	*lru.Cache[planKey, compiled]
	Types *types
}

type planKey struct {
	Field *ast.Field
	// values are the values of the conditions, one character each; empty for a selection
	// without conditions, and for the entry that names them.
	values string
}

// compiled is what is known of a selection.
type compiled struct {
	// selections are the selections of the field, and of other fields that were merged
	// into it.
	selections ast.SelectionSet
	conditions []string
	// Plan is nil if the selection has no plan.
	Plan *plan.Plan
}

// keptPlans bounds how many plans are kept.
const keptPlans = 2000

// New returns the plans of a resolver's data.
func New(r *resolve.Resolver) Plans {
	cache, err := lru.New[planKey, compiled](keptPlans)
	if err != nil {
		panic(err) // only for a size below one
	}
	return Plans{cache, newTypes(r)}
}

// of returns the plan of a field, nil if it has none.
func (p Plans) of(field plan.Field, f graphql.CollectedField, variables map[string]any) *plan.Plan {
	known, ok := p.Get(planKey{f.Field, ""})
	if !ok || !slices.Equal(known.selections, f.Selections) {
		known = compiled{selections: f.Selections, conditions: plan.Conditions(f.Selections)}
		if len(known.conditions) == 0 {
			known.Plan = planOf(field, f, variables)
		}
		p.Add(planKey{f.Field, ""}, known)
	}
	if len(known.conditions) == 0 {
		return known.Plan
	}
	key := planKey{f.Field, valuesOf(known.conditions, variables)}
	one, ok := p.Get(key)
	if !ok || !slices.Equal(one.selections, f.Selections) {
		one = compiled{selections: f.Selections, Plan: planOf(field, f, variables)}
		p.Add(key, one)
	}
	return one.Plan
}

func planOf(field plan.Field, f graphql.CollectedField, variables map[string]any) *plan.Plan {
	merged := *f.Field
	merged.SelectionSet = f.Selections
	return plan.New(field, &merged, variables)
}

// valuesOf returns the values of conditions.
func valuesOf(conditions []string, variables map[string]any) string {
	values := make([]byte, len(conditions))
	for i, name := range conditions {
		values[i] = '0'
		if variables[name] == true {
			values[i] = '1'
		}
	}
	return string(values)
}

var answers = sync.Pool{New: func() any { return new([]byte) }}

// keptAnswer bounds the memory that is kept for the next answer.
const keptAnswer = 1 << 20

// room returns memory for an answer. It is taken once the rows are read, so that none is
// kept while the database looks for them.
func room() []byte { return (*answers.Get().(*[]byte))[:0] }

// Release takes the data of an answer back once it was sent; the next answer reuses its
// memory.
func Release(data []byte) {
	if cap(data) > 0 && cap(data) <= keptAnswer {
		answers.Put(&data)
	}
}

// Answer answers a root field by its plan. ok is false if it has none, or the caller may
// not read it.
func (p Plans) Answer(ctx context.Context, fc *graphql.FieldContext) (answer graphql.Marshaler, ok bool, err error) {
	t, variables := tenant.From(ctx), graphql.GetOperationContext(ctx).Variables
	compiled := p.root(fc.Object, fc.Field, variables)
	if compiled == nil || t == nil || !mayRead(ctx, fc.Field.Definition) {
		return nil, false, nil
	}
	run := p.run(ctx, t, variables, p.Types.asOf(ctx, fc.Args))
	run.Args = fc.Args
	if err = compiled.Read(run); err != nil {
		return nil, false, err
	}
	data, isNull := compiled.Write(room(), run)
	tell(ctx, run.Failures())
	if isNull {
		Release(data)
		return graphql.Null, true, nil
	}
	return graphql.WriterFunc(func(w io.Writer) {
		_, _ = w.Write(data)
		Release(data)
	}), true, nil
}

// tell adds the errors of values below the field of a context to the response.
func tell(ctx context.Context, failures []plan.Failure) {
	for _, f := range failures {
		at := ctx
		for _, step := range f.Path() {
			switch step := step.(type) {
			case ast.PathName:
				at = graphql.WithPathContext(at, graphql.NewPathWithField(string(step)))
			case ast.PathIndex:
				at = graphql.WithPathContext(at, graphql.NewPathWithIndex(int(step)))
			}
		}
		graphql.AddError(at, f.Err)
	}
}

// root returns the plan of a root field; nil if it has none.
func (p Plans) root(object string, f graphql.CollectedField, variables map[string]any) *plan.Plan {
	if !p.mayPlan(object, f) {
		return nil
	}
	return p.of(p.Types.Roots[[2]string{object, f.Name}], f, variables)
}

// mayPlan reports whether a root field can have a plan. Without types the executor answers
// everything.
func (p Plans) mayPlan(object string, f graphql.CollectedField) bool {
	return p.Types != nil && p.Types.Roots[[2]string{object, f.Name}] != nil
}

func (p Plans) run(ctx context.Context, t *tenant.Tenant, variables map[string]any, at history.AsOf) *plan.Run {
	return &plan.Run{Ctx: ctx, Variables: variables, TenantID: t.ID, At: at, Store: p.Types.r.Store}
}

// mayRead reports whether the caller holds one of the scopes that a field needs, since no
// directive runs around a plan. Callers without one are left to the executor, which
// refuses them.
func mayRead(ctx context.Context, f *ast.FieldDefinition) bool {
	guard := f.Directives.ForName("hasScope")
	if guard == nil {
		return true
	}
	return slices.ContainsFunc(guard.Arguments, func(a *ast.Argument) bool { return resolve.NeedsScope(ctx, a.Value.Raw) == nil })
}
