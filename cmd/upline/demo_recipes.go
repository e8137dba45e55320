package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// demoRecipes are the report recipes that the demo begins with, as agencyRecipeCreate
// takes them: those that all agencies share, and those of the first one's own.
//
//go:embed demo_recipes.json
var demoRecipes []byte

// addDemoRecipes adds the report recipes that are not there yet.
func addDemoRecipes(ctx context.Context, a *app.App) error {
	var all struct{ Shared, Own []recipe.Input }
	if err := json.Unmarshal(demoRecipes, &all); err != nil {
		return err
	}
	first, err := a.Tenants.Find(ctx, demoTenants[0].identifier)
	if err != nil {
		return err
	}
	platform := tenant.WithCaller(tenant.With(ctx, tenant.Platform), tenant.Caller{Subject: "upline", ClientID: "upline"})
	if err := addRecipes(platform, a, recipe.Shared, all.Shared); err != nil {
		return err
	}
	return addRecipes(byOperator(ctx, first, "agencyRecipeCreate", "upline"), a, recipe.Own, all.Own)
}

func addRecipes(ctx context.Context, a *app.App, on *recipe.Shelf, all []recipe.Input) error {
	for _, in := range all {
		if _, err := a.Recipes.Create(ctx, on, in); err != nil && !problem.Has(err, problem.DuplicateKey) {
			return fmt.Errorf("recipe %s: %w", in.Name, err)
		}
	}
	return nil
}
