package paths

// The records of Webhooks, as the specification shows them.
var (
	webhookSubscription        = Shape{Name: "WebhookSubscription", Keyed: webhookHeaders}
	webhookSubscriptionCreated = Shape{Name: "WebhookSubscriptionCreated", Key: "id", Keyed: webhookHeaders}
	webhookSubscriptionDetails = Shape{Name: "WebhookSubscriptionDetails", Keyed: webhookHeaders}
	webhookDelivery            = Shape{Name: "WebhookDelivery"}
)

// "headers: optional object of custom headers" (specification, "Webhook
// subscription").
var webhookHeaders = map[string]string{"headers": "name"}

// webhookDictionaries are the dictionaries of request bodies, by type and field.
var webhookDictionaries = map[string]Dictionary{
	"WebhookSubscriptionCreateInput.headers": {Key: "name", Value: "value"},
	"WebhookSubscriptionUpdateInput.headers": {Key: "name", Value: "value"},
}

// webhookPages: "List operations use page (1-based) and pageSize"
// (specification, Webhooks); the sizes are the same for every tenant.
var webhookPages = Paging{Index: "page", Usual: 50, Most: 100}

var webhookRoutes = []Route{
	{post, "/subscriptions", "webhooks/webhookSubscriptionCreate", Created, webhookSubscriptionCreated},
	{get, "/subscriptions", "webhooks/webhookSubscriptions", Listed, webhookSubscription},
	{get, "/subscriptions/{id}", "webhooks/webhookSubscription", Found, webhookSubscriptionDetails},
	{put, "/subscriptions/{id}", "webhooks/webhookSubscriptionUpdate", Changed, webhookSubscription},
	{del, "/subscriptions/{id}", "webhooks/webhookSubscriptionDelete", Removed, Shape{}},
	{get, "/subscriptions/{id}/deliveries", "webhooks/webhookDeliveries", Listed, webhookDelivery},
}
