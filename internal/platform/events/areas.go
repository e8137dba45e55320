package events

import "maps"

// readScopes are the scopes that read what the events of an area tell of.
var readScopes = map[Area]string{
	AgencyManagement: "read:agents", AgentOnboarding: "agent-onboarding:applications:read",
	IdentityManagement: "read:users", Webhooks: "read:webhook-subscriptions",
}

// ReadScopes returns, for each area, the scope that reads what its events tell
// of. Whoever is told of the events, by the feed or by a webhook, needs it.
func ReadScopes() map[Area]string { return maps.Clone(readScopes) }
