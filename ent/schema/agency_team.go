package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// Team is a hierarchy of agents. The only team is "default".
type Team struct{ ent.Schema }

// Annotations implements ent.Interface.
func (Team) Annotations() []schema.Annotation { return table("agency_team") }

// Mixin implements ent.Interface.
func (Team) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (Team) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("name").Immutable(),
	}
}

// UplinePeriod is the direct upline of an agent from a day to a day.
type UplinePeriod struct{ ent.Schema }

// Annotations implements ent.Interface.
func (UplinePeriod) Annotations() []schema.Annotation { return table("agency_upline_period") }

// Mixin implements ent.Interface.
func (UplinePeriod) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Period{}} }

// Fields implements ent.Interface.
func (UplinePeriod) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("team_id").Immutable(),
		field.Int64("agent_id").Immutable(),
		field.Int64("upline_agent_id").Optional().Nillable().Comment("Nil: no upline, a root of the hierarchy."),
		field.String("deleted_upline_code").Optional().Nillable().Comment("The code of an upline deleted since."),
	}
}

// LevelPeriod is the agent level (rank) of an agent from a day to a day.
type LevelPeriod struct{ ent.Schema }

// Annotations implements ent.Interface.
func (LevelPeriod) Annotations() []schema.Annotation { return table("agency_level_period") }

// Mixin implements ent.Interface.
func (LevelPeriod) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Period{}} }

// Fields implements ent.Interface.
func (LevelPeriod) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Int64("team_id").Immutable(),
		field.Int64("agent_id").Immutable(),
		field.Int("level").Immutable(),
	}
}
