package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"

	"github.com/uplinehq/upline/ent/mixin"
)

// WebhookSubscription is an endpoint that events are delivered to (specification,
// "Webhook subscription"), and how it stands with its queue.
type WebhookSubscription struct{ ent.Schema }

// Annotations implements ent.Interface.
func (WebhookSubscription) Annotations() []schema.Annotation { return table("webhook_subscription") }

// Mixin implements ent.Interface.
func (WebhookSubscription) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}, mixin.Stamps{}} }

// Fields implements ent.Interface.
func (WebhookSubscription) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.String("uid").SchemaType(uuidType).Immutable().Comment("The id that clients know."),
		field.String("url"),
		field.String("events").SchemaType(jsonType).Comment("Names of event types, as they were given."),
		field.String("description").Optional().Nillable(),
		field.Bytes("headers").Optional().Sensitive().Comment("Custom headers, encrypted as a whole; see internal/platform/vault."),
		field.Int("max_retries"),
		field.Int("retry_delay_minutes"),
		field.Bool("is_ordered").Comment("The events of an agent one after the other."),
		field.Bool("is_active"),
		field.Bytes("secret").Sensitive().Comment("Encrypted."),
		field.Bytes("previous_secret").Optional().Sensitive().Comment("Signs, too, until previous_secret_until."),
		field.Time("previous_secret_until").Optional().Nillable(),
		field.Int64("last_sequence").Default(0).Comment("The last number that a message was given."),
		field.Int64("wakes").Default(0).Comment("How often there was new work, or a change."),
		field.String("holder").Optional().Nillable().Comment("The process that delivers, until held_until."),
		field.Time("held_until").Optional().Nillable(),
		field.Int("failures").Default(0).Comment("Since the last success."),
		field.Time("probe_at").Optional().Nillable().Comment("When there are many failures: the next probe."),
		field.Int64("deliveries").Default(0).Comment("The last number that a delivery was given."),
	}
}

// WebhookDelivery is an attempt: "every attempt is recorded in the delivery
// history" (Events, 2).
type WebhookDelivery struct{ ent.Schema }

// Annotations implements ent.Interface.
func (WebhookDelivery) Annotations() []schema.Annotation { return table("webhook_delivery") }

// Mixin implements ent.Interface.
func (WebhookDelivery) Mixin() []ent.Mixin { return []ent.Mixin{mixin.Tenant{}} }

// Fields implements ent.Interface.
func (WebhookDelivery) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").SchemaType(uuidType).Immutable().Comment("UUIDv7; the header X-Webhook-Id."),
		field.Int64("subscription_id").Immutable(),
		field.Int64("number").Optional().Nillable().Immutable().Comment("1, 2, 3 … in the order they were recorded; nil for old ones."),
		field.Int64("sequence").Optional().Nillable().Immutable().Comment("Nil for a test."),
		field.String("event_id").SchemaType(uuidType).Immutable(),
		field.String("url").Immutable(),
		field.Int("attempt_number").Immutable(),
		field.Time("attempted_at").Immutable(),
		field.Bool("is_successful").Immutable(),
		field.Int("http_status_code").Optional().Nillable().Immutable(),
		field.String("response").Optional().Nillable().Immutable(),
		field.Int("response_time_ms").Immutable(),
		field.String("error_message").Optional().Nillable().Immutable(),
	}
}
