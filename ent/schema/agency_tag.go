package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// Tag is "a label defined by the agency, keyed by name" (specification, "Tag").
type Tag struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Tag) Annotations() []schema.Annotation { return table("agency_tag") }

// Mixin implements ent.Interface.
func (Tag) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (Tag) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("name").Immutable(),
		field.String("description").Optional().Nillable(),
		field.String("color").Optional().Nillable(),
	}
}

// TagAssignment says that an agent wears a tag. It is not dated.
type TagAssignment struct{ ent.Schema }

// Annotations implements ent.Interface.
func (TagAssignment) Annotations() []schema.Annotation { return table("agency_tag_assignment") }

// Mixin implements ent.Interface.
func (TagAssignment) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (TagAssignment) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("agent_id").Immutable(),
		field.String("tag").Immutable(),
		field.Time("assigned_at").Immutable(),
		field.String("assigned_by").Immutable(),
	}
}
