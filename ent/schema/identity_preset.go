package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// Preset is what somebody arranged and keeps under a name.
type Preset struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Preset) Annotations() []schema.Annotation { return table("identity_preset") }

// Mixin implements ent.Interface.
func (Preset) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (Preset) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("uid").SchemaType(uuidType).Immutable().Comment("The id that callers know."),
		field.Int64("user_id").Optional().Nillable().Comment("Whose it is; nil for everybody's."),
		field.String("kind").Immutable().Comment("VIEW, FILE_MAPPING or DASHBOARD."),
		field.String("subject").Immutable().Comment("What it is for, such as the list of a view."),
		field.String("name"),
		field.String("name_key").Comment("In small letters; unique for an owner, a kind and a subject."),
		field.String("content").Comment("A JSON object."),
	}
}
