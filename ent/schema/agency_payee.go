package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// PayStatusPeriod is the pay status of an agent from a day to a day.
type PayStatusPeriod struct{ ent.Schema }

// Annotations implements ent.Interface.
func (PayStatusPeriod) Annotations() []schema.Annotation { return table("agency_pay_status_period") }

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
