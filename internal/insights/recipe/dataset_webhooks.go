package recipe

import (
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/value"
)

var webhookDeliveriesDataset = &Dataset{
	Name: "webhookDeliveries", Description: "Attempts to deliver events to webhook subscriptions, tests left out; not what was sent, where to, or answered.", Scope: webhooksScope,
	ofNow: insights.DeliveriesOfNow,
	from:  "webhook_delivery d",
	where: "d.tenant_id = @tenant AND d.sequence IS NOT NULL", key: []string{"d.id"},
	joins: []insights.Join{
		{Alias: "s", SQL: "JOIN webhook_subscription s ON s.tenant_id = @tenant AND s.id = d.subscription_id"},
		{Alias: "e", SQL: "JOIN outbox_event e ON e.tenant_id = @tenant AND e.id = d.event_id"},
	},
	Fields: []Field{
		{Name: "deliveryId", Type: value.Text, Description: "Id of the delivery.", sql: "d.id::text", sqlite: "d.id"},
		{Name: "subscriptionId", Type: value.Text, Description: "Id of the subscription.", sql: "s.uid::text", sqlite: "s.uid", join: "s"},
		{Name: "eventId", Type: value.Text, Description: "Id of the event.", sql: "d.event_id::text", sqlite: "d.event_id"},
		{Name: "eventType", Type: value.Text, Description: "Type of the event.", sql: "e.type", join: "e"},
		{Name: "attemptNumber", Type: value.Integer, Description: "1 for the first attempt.", sql: "d.attempt_number"},
		{Name: "attemptedAt", Type: value.DateTime, Description: "When the attempt was made.", sql: "d.attempted_at"},
		{Name: "isSuccessful", Type: value.Boolean, Description: "Whether the endpoint answered with a 2xx status.", sql: "d.is_successful"},
		{Name: "httpStatusCode", Type: value.Integer, Description: "Status that the endpoint answered with.", sql: "d.http_status_code"},
		{Name: "responseTimeMs", Type: value.Integer, Description: "Milliseconds that the endpoint took.", sql: "d.response_time_ms"},
	},
}
