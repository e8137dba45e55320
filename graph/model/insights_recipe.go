package model

import (
	"encoding/json"

	"github.com/uplinehq/upline/internal/insights/recipe"
)

// ReportRecipe is a stored definition of a report.
type ReportRecipe struct{ *recipe.Recipe }

// RecipeInput is a complete report recipe; the id is that of the one it replaces.
type RecipeInput struct {
	ID string
	recipe.Input
}

// IsAudited names the interface of the GraphQL type.
func (ReportRecipe) IsAudited() {}

// ID is the id that clients use.
func (r *ReportRecipe) ID() string { return r.UID }

// Definition is the definition as it was stored.
func (r *ReportRecipe) Definition() json.RawMessage { return r.Recipe.Definition }
