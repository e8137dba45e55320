package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
	"github.com/uplinehq/upline/internal/date"
)

// Scenario is a reorganisation that people think through before it is made.
type Scenario struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Scenario) Annotations() []schema.Annotation { return table("agency_scenario") }

// Mixin implements ent.Interface.
func (Scenario) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (Scenario) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("uid").SchemaType(uuidType).Immutable().Comment("The id that callers know."),
		field.Int64("owner_id").Optional().Nillable().Immutable().Comment("The user who made it, who may be gone; nil for a client."),
		field.String("name"),
		field.String("description").Optional().Nillable(),
		field.Other("effective_from", date.Date(0)).SchemaType(dayType),
		field.String("moves").Comment("A JSON list."),
		field.String("state").Comment("DRAFT, APPLIED or DISCARDED."),
	}
}
