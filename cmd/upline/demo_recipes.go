package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/uplinehq/upline/internal/app"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// demoRecipes are the report recipes that the demo begins with, as a request to
// POST /business-insights/report-recipes has them.
//
//go:embed demo_recipes.json
var demoRecipes []byte

// addDemoRecipes adds those that are not there yet, in the name of the platform.
func addDemoRecipes(ctx context.Context, a *app.App) error {
	var all []recipe.Input
	if err := json.Unmarshal(demoRecipes, &all); err != nil {
		return err
	}
	ctx = tenant.WithCaller(tenant.With(ctx, tenant.Platform), tenant.Caller{Subject: "upline", ClientID: "upline"})
	for _, in := range all {
		if _, err := a.Recipes.Create(ctx, in); err != nil && !problem.Has(err, problem.DuplicateKey) {
			return fmt.Errorf("recipe %s: %w", in.Name, err)
		}
	}
	return nil
}
