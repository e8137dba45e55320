package recipe

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/value"
)

// Run makes a page of a report for the tenant in ctx. It checks the definition again,
// since a field may have been removed after it was stored. A caller needs the scope of
// the dataset.
func (r *Service) Run(ctx context.Context, recipe *Recipe, in insights.Request) (*insights.Result, error) {
	t := tenant.From(ctx)
	if t == nil || t == tenant.Platform {
		return nil, tenant.ErrNone
	}
	given, err := value.Object(recipe.Definition)
	if err != nil {
		return nil, fmt.Errorf("recipe: definition of %s: %w", recipe.UID, err)
	}
	size, tooLarge := in.Size(0, maxPage)
	if tooLarge != nil {
		return nil, tooLarge
	}
	if err := in.OneGiven(); err != nil {
		return nil, err
	}
	if recipe.Dataset == savedQuery {
		if in.First == nil { // the tenant's lists allow no more
			size = min(size, t.MaxPageSize)
		}
		in.First = &size
		return r.runQuery(ctx, recipe, given, in)
	}
	dataset := datasetOf(recipe.Dataset)
	if dataset == nil {
		return nil, problem.List{unknownDataset()}
	}
	d, refused := parse(dataset, given)
	if err := refused.Err(); err != nil {
		return nil, err
	}
	if err := mayRead(ctx, dataset); err != nil {
		return nil, err
	}
	return r.reports.Run(ctx, d.report(recipe), in)
}

// mayRead refuses a caller whose token may not read the dataset.
func mayRead(ctx context.Context, d *Dataset) error {
	caller, ok := tenant.CallerFrom(ctx)
	if ok && caller.HasScope(d.Scope) {
		return nil
	}
	return (&problem.Error{Scope: d.Scope, Category: problem.Forbidden, Code: problem.ForbiddenCode,
		Message: "The token does not hold the scope " + d.Scope + ", which the dataset needs"}).With("requiredScope", d.Scope)
}
