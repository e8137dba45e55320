package resolve

import (
	"context"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/insights/recipe"
)

func (r queryResolver) ReportRecipe(ctx context.Context, id string) (*model.ReportRecipe, error) {
	stored, err := r.Recipes.Get(ctx, id)
	return found(stored, err, recipeView)
}

func (r queryResolver) ReportRecipes(ctx context.Context, first *int, after *string, last *int, before *string, offset *int) (*model.ReportRecipeConnection, error) {
	return r.recipes(ctx, recipe.Shared)
}

func (r queryResolver) AgencyRecipes(ctx context.Context, first *int, after *string, last *int, before *string, offset *int) (*model.ReportRecipeConnection, error) {
	return r.recipes(ctx, recipe.Own)
}

func (r queryResolver) ReportDatasets(context.Context) ([]*model.ReportDataset, error) {
	return views(recipe.Datasets(), func(d *recipe.Dataset) *model.ReportDataset { return &model.ReportDataset{Dataset: d} }), nil
}

func (r queryResolver) recipes(ctx context.Context, on *recipe.Shelf) (*model.ReportRecipeConnection, error) {
	list, err := r.Recipes.List(ctx, on)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, recipeView)
}

func (r mutationResolver) ReportRecipeCreate(ctx context.Context, input model.RecipeInput) (*model.ReportRecipePayload, error) {
	return r.createRecipe(ctx, recipe.Shared, input)
}

func (r mutationResolver) AgencyRecipeCreate(ctx context.Context, input model.RecipeInput) (*model.ReportRecipePayload, error) {
	return r.createRecipe(ctx, recipe.Own, input)
}

func (r mutationResolver) createRecipe(ctx context.Context, on *recipe.Shelf, input model.RecipeInput) (*model.ReportRecipePayload, error) {
	stored, err := r.Recipes.Create(ctx, on, input.Input)
	return recipePayload(stored, err == nil, err)
}

func (r mutationResolver) ReportRecipeReplace(ctx context.Context, input model.RecipeInput) (*model.ReportRecipePayload, error) {
	return r.replaceRecipe(ctx, recipe.Shared, input)
}

func (r mutationResolver) AgencyRecipeReplace(ctx context.Context, input model.RecipeInput) (*model.ReportRecipePayload, error) {
	return r.replaceRecipe(ctx, recipe.Own, input)
}

func (r mutationResolver) replaceRecipe(ctx context.Context, on *recipe.Shelf, input model.RecipeInput) (*model.ReportRecipePayload, error) {
	stored, changed, err := r.Recipes.Replace(ctx, on, input.ID, input.Input)
	return recipePayload(stored, changed, err)
}

func recipePayload(stored *recipe.Recipe, changed bool, err error) (*model.ReportRecipePayload, error) {
	shown, err := found(stored, err, recipeView)
	return &model.ReportRecipePayload{ReportRecipe: shown, Outcome: model.Outcome{Applied: changed}}, err
}

func (r mutationResolver) ReportRecipeDelete(ctx context.Context, input model.ReportRecipeDeleteInput) (*model.DeletePayload, error) {
	return r.deleteRecipe(ctx, recipe.Shared, input.ID)
}

func (r mutationResolver) AgencyRecipeDelete(ctx context.Context, input model.AgencyRecipeDeleteInput) (*model.DeletePayload, error) {
	return r.deleteRecipe(ctx, recipe.Own, input.ID)
}

func (r mutationResolver) deleteRecipe(ctx context.Context, on *recipe.Shelf, id string) (*model.DeletePayload, error) {
	return convert.DeletedID(id), r.Recipes.Delete(ctx, on, id)
}

// runScope is the scope that running a report needs, besides the scope of the data it
// reads.
const runScope = "business-insights:queries:execute"

func (r reportRecipeResolver) Run(ctx context.Context, obj *model.ReportRecipe, tenantParameters, parameterTexts map[string]any, onDate *date.Date, asKnownAt *time.Time, first *int, after *string, offset *int) (*model.InsightResult, error) {
	if err := NeedsScope(ctx, runScope); err != nil {
		return nil, err
	}
	return resultView(r.Recipes.Run(ctx, obj.Recipe, insights.Request{Parameters: tenantParameters, Texts: parameterTexts, OnDate: onDate, AsKnownAt: asKnownAt, DefaultDay: defaultDay(ctx),
		First: first, After: after, Offset: offset, Counted: selects(ctx, "totalCount")}))
}

// selects reports whether a field of the resolved object is selected.
func selects(ctx context.Context, name string) bool {
	return slices.ContainsFunc(graphql.CollectFieldsCtx(ctx, nil), func(f graphql.CollectedField) bool { return f.Name == name })
}

func recipeView(r *recipe.Recipe) *model.ReportRecipe { return &model.ReportRecipe{Recipe: r} }
