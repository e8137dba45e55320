package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// IdentityRole is a named set of scopes that users hold.
type IdentityRole struct{ ent.Schema }

// Annotations implements ent.Interface.
func (IdentityRole) Annotations() []schema.Annotation { return table("identity_role") }

// Mixin implements ent.Interface.
func (IdentityRole) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (IdentityRole) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("name"),
		field.String("name_key").Comment("Folded, for uniqueness."),
		field.String("description").Optional().Nillable(),
		field.String("scopes").Comment("Separated by one space; of a system role empty, since the program says what it holds."),
		field.Bool("is_system").Immutable(),
		field.Bool("limited_to_downline").Default(false).Comment("Its users see their agent and its downline only; false of a system role, since the program says it."),
	}
}
