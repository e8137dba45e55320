package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
	"github.com/uplinehq/upline/internal/date"
)

// Agent is a sales agent of the agency (specification, "Agent"). What is dated
// about an agent – pay status, upline, level – is in the period entities.
type Agent struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Agent) Annotations() []schema.Annotation { return table("agency_agent") }

// Mixin implements ent.Interface.
func (Agent) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (Agent) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("code").Immutable(),
		field.String("first_name"),
		field.String("middle_name").Optional().Nillable(),
		field.String("last_name"),
		field.String("common_name").Optional().Nillable(),
		field.String("suffix").Optional().Nillable(),
		field.String("email").Optional().Nillable(),
		field.String("first_name_key"),
		field.String("last_name_key"),
		field.String("common_name_key"),
		field.String("email_key"),
		field.Bytes("government_identifier").Optional().Sensitive().Comment("Encrypted; see internal/platform/vault."),
		field.Bytes("government_identifier_index").Optional().Sensitive().Comment("Keyed blind index for equality search."),
		field.Other("birth_date", date.Date(0)).SchemaType(dayType).Optional().Nillable(),
		field.String("gender").Optional().Nillable(),
		field.String("npn").Optional().Nillable(),
		field.String("customer_id").Optional().Nillable(),
		field.Bool("is_dedicated"),
		field.Time("start_date"),
	}
}

// Address is the home or business address of an agent, one row each.
type Address struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Address) Annotations() []schema.Annotation { return table("agency_address") }

// Mixin implements ent.Interface.
func (Address) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (Address) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("agent_id").Immutable(),
		field.String("kind").Immutable().Comment("HOME or BUSINESS."),
		field.String("line1").Optional().Nillable(),
		field.String("line2").Optional().Nillable(),
		field.String("city").Optional().Nillable(),
		field.String("jurisdiction").Optional().Nillable(),
		field.String("postal_code").Optional().Nillable(),
		field.String("country").Optional().Nillable(),
	}
}

// Phone is one of an agent's four telephone numbers.
type Phone struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Phone) Annotations() []schema.Annotation { return table("agency_phone") }

// Mixin implements ent.Interface.
func (Phone) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (Phone) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("agent_id").Immutable(),
		field.String("kind").Immutable().Comment("CELL, HOME, BUSINESS or FAX."),
		field.String("country_code"),
		field.String("area_code").Optional().Nillable(),
		field.String("phone_number"),
	}
}
