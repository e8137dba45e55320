package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
	"github.com/uplinehq/upline/internal/date"
)

// ProductionRecord is a policy that an agent wrote. One agent, provider company
// and policy number have one; each day is that of a step which was reached.
type ProductionRecord struct{ ent.Schema }

// Annotations implements ent.Interface.
func (ProductionRecord) Annotations() []schema.Annotation {
	return table("insights_production_record")
}

// Mixin implements ent.Interface.
func (ProductionRecord) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (ProductionRecord) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("agent_id").Immutable(),
		field.String("provider_company").Immutable(),
		field.String("policy_number").Immutable(),
		field.String("product_line").Optional().Nillable(),
		field.Other("submitted_on", date.Date(0)).SchemaType(dayType).Optional().Nillable(),
		field.Other("issued_on", date.Date(0)).SchemaType(dayType).Optional().Nillable(),
		field.Other("placed_on", date.Date(0)).SchemaType(dayType).Optional().Nillable(),
		field.Int64("annual_premium_cents").Comment("In hundredths of the agency's currency."),
		field.Time("recorded_at"),
		field.String("recorded_by"),
	}
}

// CommissionPayment is a commission that was paid to an agent, or taken back
// from it when negative. A row never changes and is never removed: "so payment
// history stays intact" (Errors, 6).
type CommissionPayment struct{ ent.Schema }

// Annotations implements ent.Interface.
func (CommissionPayment) Annotations() []schema.Annotation {
	return table("insights_commission_payment")
}

// Mixin implements ent.Interface.
func (CommissionPayment) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (CommissionPayment) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("agent_id").Immutable(),
		field.Other("paid_on", date.Date(0)).SchemaType(dayType).Immutable(),
		field.Int64("amount_cents").Immutable().Comment("In hundredths of the agency's currency."),
		field.String("reference").Immutable().Comment("Empty for none."),
		field.Time("recorded_at").Immutable(),
		field.String("recorded_by").Immutable(),
	}
}
