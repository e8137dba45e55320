package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// IdentityUser is a person who may sign in (specification, "User (Identity
// Management)").
type IdentityUser struct{ ent.Schema }

// Annotations implements ent.Interface.
func (IdentityUser) Annotations() []schema.Annotation { return table("identity_user") }

// Mixin implements ent.Interface.
func (IdentityUser) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (IdentityUser) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("username"),
		field.String("username_key").Comment("Lower case, for search, order and uniqueness."),
		field.String("email").Optional().Nillable(),
		field.String("email_key").Optional().Nillable().Comment("As username_key."),
		field.String("status"),
		field.String("password_hash").Optional().Nillable().Sensitive().Comment("In PHC form; nil while no password is set."),
		field.Time("last_sign_in_at").Optional().Nillable(),
		field.String("external_id").Optional().Nillable().Comment("What the system that provisions users calls it."),
		field.Time("withdrawn_at").Optional().Nillable().Comment("When that system deleted it, by a server before version 156 of the database, which then kept the row."),
	}
}
