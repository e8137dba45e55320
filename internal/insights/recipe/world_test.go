package recipe_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
)

type object = map[string]any

// The scopes that recipes are about.
const (
	readRecipes  = "business-insights:report-recipes:read"
	writeRecipes = "business-insights:report-recipes:write"
	runReports   = "business-insights:queries:execute"
)

// analyst are the scopes of who writes and runs reports of agents.
var analyst = []string{readRecipes, writeRecipes, runReports, "read:agents", "write:agents", "write:production"}

func onEachWorld(t *testing.T, f func(t *testing.T, w *apptest.World)) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, apptest.New(t, s, apptest.Options{})) })
}
