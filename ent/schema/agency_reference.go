package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// CertificationType is a kind of certification an agency uses.
type CertificationType struct{ ent.Schema }

// Annotations implements ent.Interface.
func (CertificationType) Annotations() []schema.Annotation {
	return table("agency_certification_type")
}

// Mixin implements ent.Interface.
func (CertificationType) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (CertificationType) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("code").Immutable(),
		field.String("name"),
		field.String("description").Optional().Nillable(),
		field.String("category").Comment("As in the GraphQL enum CertificationCategory."),
		field.Bool("requires_jurisdiction"),
		field.Bool("requires_provider_company"),
		field.Bool("is_enabled"),
	}
}

// Jurisdiction is a state, province or territory.
type Jurisdiction struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Jurisdiction) Annotations() []schema.Annotation { return table("agency_jurisdiction") }

// Mixin implements ent.Interface.
func (Jurisdiction) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (Jurisdiction) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("code").Immutable(),
		field.String("name"),
		field.String("country"),
		field.String("kind"),
		field.Bool("is_enabled"),
	}
}

// PayStatus is a pay status the agency defined.
type PayStatus struct{ ent.Schema }

// Annotations implements ent.Interface.
func (PayStatus) Annotations() []schema.Annotation { return table("agency_pay_status") }

// Mixin implements ent.Interface.
func (PayStatus) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (PayStatus) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("name").Immutable(),
		field.String("description").Optional().Nillable(),
		field.Bool("is_active"),
		field.Bool("can_be_paid"),
		field.Int("sort_order"),
	}
}

// AgentLevel is a rank in a team.
type AgentLevel struct{ ent.Schema }

// Annotations implements ent.Interface.
func (AgentLevel) Annotations() []schema.Annotation { return table("agency_agent_level") }

// Mixin implements ent.Interface.
func (AgentLevel) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (AgentLevel) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("team_id").Immutable(),
		field.Int("value").Immutable(),
		field.String("name"),
		field.String("description").Optional().Nillable(),
		field.Bool("is_enabled"),
	}
}

// ProviderCompany is a carrier that appoints agents.
type ProviderCompany struct{ ent.Schema }

// Annotations implements ent.Interface.
func (ProviderCompany) Annotations() []schema.Annotation { return table("agency_provider_company") }

// Mixin implements ent.Interface.
func (ProviderCompany) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (ProviderCompany) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("code").Immutable(),
		field.String("name"),
		field.String("naic_code").Optional().Nillable(),
		field.Bool("is_enabled"),
	}
}
