package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// Product is what agents may sell if they meet its rules.
type Product struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Product) Annotations() []schema.Annotation { return table("agency_product") }

// Mixin implements ent.Interface.
func (Product) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (Product) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("code").Immutable(),
		field.String("name"),
		field.String("description").Optional().Nillable(),
		field.String("line_of_authority").Optional().Nillable(),
		field.Bool("is_watched"),
		field.Bool("is_enabled"),
	}
}

// ProductRule is a rule of a product. What it requires is dated: see ProductRulePeriod.
type ProductRule struct{ ent.Schema }

// Annotations implements ent.Interface.
func (ProductRule) Annotations() []schema.Annotation { return table("agency_product_rule") }

// Mixin implements ent.Interface.
func (ProductRule) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (ProductRule) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("product").Immutable(),
		field.String("name").Immutable(),
		field.Time("created_at").Immutable(),
		field.String("created_by").Immutable(),
	}
}

// ProductRulePeriod is what a rule requires from a day to a day.
type ProductRulePeriod struct{ ent.Schema }

// Annotations implements ent.Interface.
func (ProductRulePeriod) Annotations() []schema.Annotation {
	return table("agency_product_rule_period")
}

// Mixin implements ent.Interface.
func (ProductRulePeriod) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Period{}} }

// Fields implements ent.Interface.
func (ProductRulePeriod) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("rule_id").Immutable(),
		field.String("jurisdictions").Optional().Nillable().Immutable().Comment("Codes with commas; nil for all."),
		field.String("certification_types").Optional().Nillable().Immutable().Comment("Codes with commas."),
		field.Bool("requires_all").Immutable(),
		field.Bool("is_resident").Optional().Nillable().Immutable(),
		field.String("provider_company").Optional().Nillable().Immutable(),
		field.Bool("requires_active_status").Immutable(),
		field.Int("minimum_level").Optional().Nillable().Immutable(),
		field.Int("upline_depth").Immutable(),
	}
}
