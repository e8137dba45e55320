package events

import "maps"

// readScopes are the scopes that read the objects of an area's events.
var readScopes = map[Area]string{
	AgencyManagement: "read:agents", AgentOnboarding: "agent-onboarding:applications:read",
	IdentityManagement: "read:users", Webhooks: "read:webhook-subscriptions",
}

// ReadScopes returns, for each area, the scope that reads the objects of its events. It
// is needed to receive the events, from the feed or by a webhook.
func ReadScopes() map[Area]string { return maps.Clone(readScopes) }
