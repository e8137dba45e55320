package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// Certification is a licence, appointment or training of an agent. Its status is
// dated: see CertificationPeriod.
type Certification struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Certification) Annotations() []schema.Annotation { return table("agency_certification") }

// Mixin implements ent.Interface.
func (Certification) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (Certification) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("agent_id").Immutable(),
		field.String("type").Immutable(),
		field.String("provider_company").Optional().Nillable().Immutable(),
		field.String("jurisdiction").Optional().Nillable().Immutable(),
		field.String("identifier").Optional().Nillable().Immutable(),
		field.Bool("is_resident_certification"),
		field.Bool("is_verified"),
		field.String("note").Optional().Nillable(),
	}
}

// CertificationPeriod is a status of a certification from a day to a day.
type CertificationPeriod struct{ ent.Schema }

// Annotations implements ent.Interface.
func (CertificationPeriod) Annotations() []schema.Annotation {
	return table("agency_certification_period")
}

// Mixin implements ent.Interface.
func (CertificationPeriod) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Period{}} }

// Fields implements ent.Interface.
func (CertificationPeriod) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("certification_id").Immutable(),
		field.String("status").Immutable().Comment("As in the GraphQL enum CertificationStatus."),
	}
}
