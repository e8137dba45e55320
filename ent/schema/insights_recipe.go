package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// ReportRecipe is "a stored definition of a tabular report", which belongs to no
// tenant (specification, "Report recipe").
type ReportRecipe struct{ ent.Schema }

// Annotations implements ent.Interface.
func (ReportRecipe) Annotations() []schema.Annotation { return table("insights_report_recipe") }

// Mixin implements ent.Interface.
func (ReportRecipe) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Stamps{}} }

// Fields implements ent.Interface.
func (ReportRecipe) Fields() []ent.Field {
	return append(recipeFields(),
		field.Int64("created_tenant").Optional().Nillable().Immutable().Comment("The tenant of who created it; nil for the platform."),
		field.Int64("last_modified_tenant").Optional().Nillable().Comment("That of who changed it last."),
	)
}

// recipeFields are those of every recipe.
func recipeFields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("uid").SchemaType(uuidType).Immutable().Comment("The id that callers know."),
		field.String("name"),
		field.String("name_key").Comment("In small letters; unique."),
		field.String("description").Optional().Nillable(),
		field.String("dataset"),
		field.String("definition").Comment("A JSON object."),
		field.Int("version").Comment("Counts the replacements, from 1."),
	}
}

// AgencyRecipe is a report recipe that an agency wrote for itself.
type AgencyRecipe struct{ ent.Schema }

// Annotations implements ent.Interface.
func (AgencyRecipe) Annotations() []schema.Annotation { return table("insights_agency_recipe") }

// Mixin implements ent.Interface.
func (AgencyRecipe) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (AgencyRecipe) Fields() []ent.Field { return recipeFields() }
