package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// Application is what a recruit hands in to become an agent (specification,
// "Application"). What lists filter and sort by has a column; the rest is one
// encrypted document, since nearly all of it is sensitive: tax ids, birth date,
// family, answers about the past.
type Application struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Application) Annotations() []schema.Annotation { return table("onboarding_application") }

// Mixin implements ent.Interface.
func (Application) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (Application) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("uid").SchemaType(uuidType).Immutable().Comment("The id that clients know."),
		field.String("status"),
		field.String("held_status").Optional().Nillable().Comment("The status before the hold."),
		field.String("recruiter_agent_code"),
		field.String("first_name"),
		field.String("last_name"),
		field.String("email_address"),
		field.String("first_name_key"),
		field.String("last_name_key"),
		field.String("email_key"),
		field.Bytes("government_identifier_index").Optional().Sensitive().Comment("Keyed blind index for equality search."),
		field.Bytes("document").Optional().Sensitive().Comment("Everything else, encrypted; see internal/platform/vault."),
		field.Int64("agent_id").Optional().Nillable().Comment("The agent that it became."),
		field.Time("submitted_at").Optional().Nillable(),
	}
}

// ApplicationStatusChange is a step of an application from a status to another.
type ApplicationStatusChange struct{ ent.Schema }

// Annotations implements ent.Interface.
func (ApplicationStatusChange) Annotations() []schema.Annotation {
	return table("onboarding_application_status_change")
}

// Mixin implements ent.Interface.
func (ApplicationStatusChange) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (ApplicationStatusChange) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("application_id").Immutable(),
		field.String("from_status").Optional().Nillable().Immutable(),
		field.String("to_status").Immutable(),
		field.String("reason").Optional().Nillable().Immutable(),
		field.Time("changed_at").Immutable(),
		field.String("changed_by").Immutable(),
	}
}
