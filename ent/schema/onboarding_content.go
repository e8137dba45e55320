package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// AppConfiguration is a version of what the onboarding application collects
// (specification, "Agent Onboarding"). A row never changes: publishing adds one,
// and the highest version holds.
type AppConfiguration struct{ ent.Schema }

// Annotations implements ent.Interface.
func (AppConfiguration) Annotations() []schema.Annotation {
	return table("onboarding_app_configuration")
}

// Mixin implements ent.Interface.
func (AppConfiguration) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (AppConfiguration) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int("version").Immutable(),
		field.Bool("collect_tax_id").Immutable(),
		field.Bool("collect_birth_date").Immutable(),
		field.Bool("collect_marital_info").Immutable(),
		field.Bool("collect_home_address").Immutable(),
		field.Bool("collect_correspondence_address").Immutable(),
		field.Bool("collect_primary_phone").Immutable(),
		field.Bool("collect_cell_phone").Immutable(),
		field.Bool("collect_license_info").Immutable(),
		field.Bool("collect_employment_info").Immutable(),
		field.Bool("collect_tax_info").Immutable(),
		field.Bool("collect_contract").Immutable(),
		field.Bool("collect_personal_history").Immutable(),
		field.Bool("requires_payment").Immutable(),
		field.String("default_pay_status").Optional().Nillable().Immutable(),
		field.Int("default_agent_level").Optional().Nillable().Immutable(),
		field.String("products").Immutable().Comment("A JSON array."),
		field.Time("published_at").Immutable(),
		field.String("published_by").Immutable(),
	}
}

// BackgroundQuestion is a version of a question about the recruit's past. Its
// uid is the contentItemVersionId that responses name; what stays the same from
// version to version is its content item.
type BackgroundQuestion struct{ ent.Schema }

// Annotations implements ent.Interface.
func (BackgroundQuestion) Annotations() []schema.Annotation {
	return table("onboarding_background_question")
}

// Mixin implements ent.Interface.
func (BackgroundQuestion) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (BackgroundQuestion) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("uid").SchemaType(uuidType).Immutable(),
		field.String("content_item_uid").SchemaType(uuidType).Immutable(),
		field.Int("sequence").Immutable(),
		field.String("text").Immutable(),
		field.String("help_text").Optional().Nillable().Immutable(),
		field.String("response_type").Immutable(),
		field.String("choices").Immutable().Comment("A JSON array."),
		field.String("requires_explanation_when").Immutable().Comment("A JSON array."),
		field.Time("published_at").Immutable(),
		field.String("published_by").Immutable(),
		field.Time("retired_at").Optional().Nillable().Comment("Since when it is no longer published."),
	}
}

// ContractVersion is a version of the contract that recruits sign. A row never
// changes; the highest number is current.
type ContractVersion struct{ ent.Schema }

// Annotations implements ent.Interface.
func (ContractVersion) Annotations() []schema.Annotation {
	return table("onboarding_contract_version")
}

// Mixin implements ent.Interface.
func (ContractVersion) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (ContractVersion) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("uid").SchemaType(uuidType).Immutable(),
		field.Int("version_number").Immutable(),
		field.String("title").Immutable(),
		field.String("body").Immutable(),
		field.String("body_format").Immutable(),
		field.String("body_sha256").Immutable(),
		field.Time("published_at").Immutable(),
		field.String("published_by").Immutable(),
	}
}

// ContractCovenant is a covenant of a version of the contract ("published
// covenants the recruit must affirm").
type ContractCovenant struct{ ent.Schema }

// Annotations implements ent.Interface.
func (ContractCovenant) Annotations() []schema.Annotation {
	return table("onboarding_contract_covenant")
}

// Mixin implements ent.Interface.
func (ContractCovenant) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (ContractCovenant) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("contract_version_id").Immutable(),
		field.String("uid").SchemaType(uuidType).Immutable(),
		field.String("content_item_uid").SchemaType(uuidType).Immutable(),
		field.Int("sequence").Immutable(),
		field.String("title").Optional().Nillable().Immutable(),
		field.String("text").Immutable(),
	}
}
