package rest

// The records of Webhooks, as the specification shows them.
var (
	webhookSubscription        = shape{name: "WebhookSubscription", keyed: webhookHeaders}
	webhookSubscriptionCreated = shape{name: "WebhookSubscriptionCreated", key: "id", keyed: webhookHeaders}
	webhookSubscriptionDetails = shape{name: "WebhookSubscriptionDetails", keyed: webhookHeaders}
	webhookDelivery            = shape{name: "WebhookDelivery"}
)

// "headers: optional object of custom headers" (specification, "Webhook
// subscription").
var webhookHeaders = map[string]string{"headers": "name"}

// webhookDictionaries are the dictionaries of request bodies, by type and field.
var webhookDictionaries = map[string]dictionary{
	"WebhookSubscriptionInput.headers":       {key: "name", value: "value"},
	"WebhookSubscriptionUpdateInput.headers": {key: "name", value: "value"},
}

// webhookPages: "List operations use page (1-based) and pageSize"
// (specification, Webhooks); the sizes are the same for every tenant.
var webhookPages = paging{index: "page", usual: 50, most: 100}

var webhookRoutes = []route{
	{post, "/subscriptions", "webhooks/webhookSubscriptionCreate", created, webhookSubscriptionCreated},
	{get, "/subscriptions", "webhooks/webhookSubscriptions", listed, webhookSubscription},
	{get, "/subscriptions/{id}", "webhooks/webhookSubscription", found, webhookSubscriptionDetails},
	{put, "/subscriptions/{id}", "webhooks/webhookSubscriptionUpdate", changed, webhookSubscription},
	{del, "/subscriptions/{id}", "webhooks/webhookSubscriptionDelete", removed, shape{}},
	{get, "/subscriptions/{id}/deliveries", "webhooks/webhookDeliveries", listed, webhookDelivery},
}
