package graph

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/tenant"
)

// plans keeps the plans of the root fields of cached documents; nil for a field that
// has none.
type plans struct {
	*lru.Cache[*ast.Field, *plan.Plan]
	types *types
}

// keptPlans bounds how many plans are kept.
const keptPlans = 2000

func newPlans(r *Resolver) plans {
	cache, err := lru.New[*ast.Field, *plan.Plan](keptPlans)
	if err != nil {
		panic(err) // only for a size below one
	}
	return plans{cache, newTypes(r)}
}

var answers = sync.Pool{New: func() any { return new([]byte) }}

// keptAnswer bounds the memory that is kept for the next answer.
const keptAnswer = 1 << 20

// answer answers a root field by its plan; ok is false where it has none, and where the
// plan leaves the answer to the generated executor.
func (p plans) answer(ctx context.Context, fc *graphql.FieldContext) (answer graphql.Marshaler, ok bool, err error) {
	if len(fc.Field.Selections) != len(fc.Field.SelectionSet) || ctx.Value(unplannedKey{}) != nil { // merged with a field of the same name
		return nil, false, nil
	}
	compiled := p.of(fc.Object, fc.Field.Field)
	t := tenant.From(ctx)
	if compiled == nil || t == nil || !mayRead(ctx, fc.Field.Definition) {
		return nil, false, nil
	}
	buffer := answers.Get().(*[]byte)
	*buffer, err = compiled.JSON((*buffer)[:0], &plan.Run{Ctx: ctx, Variables: graphql.GetOperationContext(ctx).Variables, Args: fc.Args,
		TenantID: t.ID, At: p.types.asOf(ctx, fc.Args), Store: p.types.r.Store})
	if err != nil {
		answers.Put(buffer)
		if errors.Is(err, plan.ErrElsewhere) {
			err = nil
		}
		return nil, false, err
	}
	return graphql.WriterFunc(func(w io.Writer) {
		_, _ = w.Write(*buffer)
		if cap(*buffer) <= keptAnswer {
			answers.Put(buffer)
		}
	}), true, nil
}

// of returns the plan of a root field; nil when it has none.
func (p plans) of(object string, f *ast.Field) *plan.Plan {
	field := p.types.roots[[2]string{object, f.Name}]
	if field == nil {
		return nil
	}
	compiled, known := p.Get(f)
	if !known {
		compiled = plan.New(field, f)
		p.Add(f, compiled)
	}
	return compiled
}

// mayRead reports whether the caller has one of the scopes that a field asks for: no
// directive runs around a plan. The executor refuses whoever has none.
func mayRead(ctx context.Context, f *ast.FieldDefinition) bool {
	guard := f.Directives.ForName("hasScope")
	if guard == nil {
		return true
	}
	return slices.ContainsFunc(guard.Arguments, func(a *ast.Argument) bool { return needsScope(ctx, a.Value.Raw) == nil })
}
