package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
	"github.com/uplinehq/upline/internal/date"
)

// PayStatusPeriod is the pay status of an agent from a day to a day.
type PayStatusPeriod struct{ ent.Schema }

// Annotations implements ent.Interface.
func (PayStatusPeriod) Annotations() []schema.Annotation {
	return table("agency_pay_status_period")
}

// Mixin implements ent.Interface.
func (PayStatusPeriod) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Period{}} }

// Fields implements ent.Interface.
func (PayStatusPeriod) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("agent_id").Immutable(),
		field.String("status").Immutable(),
	}
}

// W9 is what a W9 says. Its rows never change; W9Period says when one holds.
type W9 struct{ ent.Schema }

// Annotations implements ent.Interface.
func (W9) Annotations() []schema.Annotation { return table("agency_w9") }

// Mixin implements ent.Interface.
func (W9) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (W9) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("agent_id").Immutable(),
		field.String("name").Immutable(),
		field.String("business_name").Optional().Nillable().Immutable(),
		field.String("tax_classification").Immutable(),
		field.String("exempt_payee").Optional().Nillable().Immutable(),
		field.String("street_address").Optional().Nillable().Immutable(),
		field.String("city").Optional().Nillable().Immutable(),
		field.String("state").Optional().Nillable().Immutable(),
		field.String("zip_code").Optional().Nillable().Immutable(),
		field.Bytes("account_number").Optional().Sensitive().Comment("Encrypted; see internal/platform/vault."),
		field.Bytes("taxpayer_identifier").Optional().Sensitive().Comment("Encrypted; see internal/platform/vault."),
		field.Bytes("taxpayer_identifier_index").Optional().Sensitive().Comment("Keyed blind index for equality search."),
		field.Bytes("signature").Optional().Sensitive().Comment("Encrypted; see internal/platform/vault."),
		field.Other("signature_date", date.Date(0)).SchemaType(dayType).Optional().Nillable().Immutable(),
		field.Time("created_at").Immutable(),
		field.String("created_by").Immutable(),
	}
}

// W9Period is the W9 of an agent from a day to a day.
type W9Period struct{ ent.Schema }

// Annotations implements ent.Interface.
func (W9Period) Annotations() []schema.Annotation { return table("agency_w9_period") }

// Mixin implements ent.Interface.
func (W9Period) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Period{}} }

// Fields implements ent.Interface.
func (W9Period) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("agent_id").Immutable(),
		field.Int64("w9_id").Immutable(),
	}
}

// DirectDeposit is where an agent is paid. It is "not effective-dated; an
// update replaces the current details" (specification, "Payee").
type DirectDeposit struct{ ent.Schema }

// Annotations implements ent.Interface.
func (DirectDeposit) Annotations() []schema.Annotation { return table("agency_direct_deposit") }

// Mixin implements ent.Interface.
func (DirectDeposit) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (DirectDeposit) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("agent_id").Immutable(),
		field.String("country"),
		field.String("account_holder_name"),
		field.String("bank_name").Optional().Nillable(),
		field.String("account_type"),
		field.Bytes("routing_number").Optional().Sensitive().Comment("Encrypted; see internal/platform/vault."),
		field.Bytes("institution_number").Optional().Sensitive().Comment("Encrypted; see internal/platform/vault."),
		field.Bytes("transit_number").Optional().Sensitive().Comment("Encrypted; see internal/platform/vault."),
		field.Bytes("account_number").Optional().Sensitive().Comment("Encrypted; see internal/platform/vault."),
		field.Time("last_modified"),
		field.String("last_modified_by"),
	}
}
