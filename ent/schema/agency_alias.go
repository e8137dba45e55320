package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// Alias is "another identifier for an agent, optionally tied to a provider
// company" (specification, "Alias").
type Alias struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Alias) Annotations() []schema.Annotation { return table("agency_alias") }

// Mixin implements ent.Interface.
func (Alias) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (Alias) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("agent_id").Immutable(),
		field.String("identifier").Immutable(),
		field.String("provider_company").Optional().Nillable().Immutable(),
	}
}
