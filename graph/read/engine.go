// Package read is the one engine that reads the agency's graph. A field of Query that reads
// the agency is answered by Root; what a mutation, an event, an application, a report or a
// global id leads to, by Fill. The types*.go say how each field is written and where each
// relation is read from. graph/plan compiles a selection from that and runs it.
package read

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Engine reads the agency's graph.
type Engine struct {
	Sources
	plans *lru.Cache[planKey, compiled]
	roots map[string]plan.Field
	types map[string]entity
}

// Sources are what an engine reads from.
type Sources struct {
	Store     *store.Store
	Clock     clock.Clock
	Vault     *vault.Vault
	Agency    *agency.Service
	Hierarchy *hierarchy.Service
	// Elsewhere answers a field of an agent that another area answers.
	Elsewhere func(ctx context.Context, f graphql.CollectedField, agent *model.Object) graphql.Marshaler
}

// planKey identifies the plan of a field: of its selection on a type, for the values of
// the variables that its directives depend on.
type planKey struct {
	Field *ast.Field
	Type  string
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
	plan       *plan.Plan
}

// keptPlans bounds how many plans are kept.
const keptPlans = 2000

// New returns an engine.
func New(from Sources) *Engine {
	cache, err := lru.New[planKey, compiled](keptPlans)
	if err != nil {
		panic(err) // only for a size below one
	}
	e := &Engine{Sources: from, plans: cache}
	t := newTypes(e)
	e.roots, e.types = t.queries(), t.entities()
	return e
}

// Root answers the field of Query of a context, which has the executor's arguments.
func (e *Engine) Root(ctx context.Context) (*model.Object, error) {
	fc := graphql.GetFieldContext(ctx)
	return e.rooted(ctx, planKey{Field: fc.Field.Field}, e.roots[fc.Field.Name], fc.Field, fc.Args)
}

// RootList is Root for a field that is a list, which Fill passes on as it was written.
func (e *Engine) RootList(ctx context.Context) ([]*model.Object, error) {
	list, err := e.Root(ctx)
	return []*model.Object{list}, err
}

// rooted answers a field by the plan of a root field, with arguments.
func (e *Engine) rooted(ctx context.Context, key planKey, field plan.Field, f graphql.CollectedField, args map[string]any) (*model.Object, error) {
	run := e.run(ctx, args)
	read := e.plan(key, field, f, run.Variables)
	if err := read.Read(run); err != nil {
		return nil, err
	}
	data, isNull := read.Write(Memory(), run)
	tell(ctx, run.Failures())
	if isNull {
		Release(data)
		return &model.Object{Answer: graphql.Null}, nil
	}
	return &model.Object{Answer: graphql.WriterFunc(func(w io.Writer) {
		_, _ = w.Write(data)
		Release(data)
	})}, nil
}

// run is a use of a plan, in the view that arguments name.
func (e *Engine) run(ctx context.Context, args map[string]any) *plan.Run {
	at := e.asOf(ctx, args)
	return &plan.Run{Ctx: visibility.AsKnown(ctx, at), Variables: graphql.GetOperationContext(ctx).Variables, TenantID: tenant.From(ctx).ID, At: at, Store: e.Store, Args: args}
}

// plan returns the plan of a field, which it keeps.
func (e *Engine) plan(key planKey, field plan.Field, f graphql.CollectedField, variables map[string]any) *plan.Plan {
	known, ok := e.plans.Get(key)
	if !ok || !slices.Equal(known.selections, f.Selections) {
		known = compiled{selections: f.Selections, conditions: plan.Conditions(f.Selections)}
		if len(known.conditions) == 0 {
			known.plan = planOf(field, f, variables)
		}
		e.plans.Add(key, known)
	}
	if len(known.conditions) == 0 {
		return known.plan
	}
	key.values = valuesOf(known.conditions, variables)
	one, ok := e.plans.Get(key)
	if !ok || !slices.Equal(one.selections, f.Selections) {
		one = compiled{selections: f.Selections, plan: planOf(field, f, variables)}
		e.plans.Add(key, one)
	}
	return one.plan
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
		graphql.AddError(at, placed(at, f.Err))
	}
}

// placed gives an error that another area has told its place in this response.
func placed(ctx context.Context, err error) error {
	told, isTold := errors.AsType[*gqlerror.Error](err)
	if !isTold {
		return err
	}
	here := *told
	here.Path = graphql.GetPath(ctx)
	return &here
}

// answers has memory for answers, headers what points to it.
var answers, headers = sync.Pool{New: newHeader}, sync.Pool{New: newHeader}

func newHeader() any { return new([]byte) }

// keptAnswer bounds the memory that is kept for the next answer.
const keptAnswer = 1 << 20

// Memory returns memory for an answer. Take it once the rows are read, so that none is
// kept while the database looks for them.
func Memory() []byte {
	header := answers.Get().(*[]byte)
	memory := (*header)[:0]
	*header = nil
	headers.Put(header)
	return memory
}

// Release takes the data of an answer back once it was sent; the next answer reuses its
// memory.
func Release(data []byte) {
	if cap(data) > 0 && cap(data) <= keptAnswer {
		header := headers.Get().(*[]byte)
		*header = data
		answers.Put(header)
	}
}
