package identity

// systemRole describes a role that every tenant has.
type systemRole struct {
	description string
	scopes      []string
	// limitedToDownline is as in Role.
	limitedToDownline bool
}

// administrator is the role of those who can give it, and every other role, to users.
const administrator = "Administrator"

// systemRoles are the starter roles by name (api "User record"). Their scopes are listed
// here and not in rows, so that a scope that a new version adds reaches every tenant.
var systemRoles = map[string]systemRole{
	administrator: {"Everything in the agency, users, roles and clients among it.", []string{
		"read:agents", "write:agents", "delete:agents", "read:agents:sensitive",
		"agent-onboarding:app-configuration:read", "agent-onboarding:app-configuration:write",
		"agent-onboarding:applications:read", "agent-onboarding:applications:write",
		"read:roles", "write:roles", "read:users", "write:users", "read:clients", "write:clients", "write:settings",
		"read:webhook-subscriptions", "write:webhook-subscriptions",
		"business-insights:queries:execute", "business-insights:report-recipes:read", "write:recipes", "write:production", "mcp:write", "provision:users",
	}, false},
	"Manager": {"Runs the agency: agents, onboarding and reports, but no users, roles or clients.", []string{
		"read:agents", "write:agents", "delete:agents", "read:agents:sensitive",
		"agent-onboarding:app-configuration:read", "agent-onboarding:app-configuration:write",
		"agent-onboarding:applications:read", "agent-onboarding:applications:write",
		"read:roles", "read:users", "business-insights:queries:execute", "business-insights:report-recipes:read", "write:recipes",
	}, false},
	"Recruiter": {"Brings recruits through onboarding, and sees the agents they are to join.", []string{
		"read:agents", "agent-onboarding:app-configuration:read", "agent-onboarding:applications:read", "agent-onboarding:applications:write",
	}, false},
	"Analyst": {"Reads agents, runs reports, and saves its own for the agency.", []string{
		"read:agents", "business-insights:queries:execute", "business-insights:report-recipes:read", "write:recipes",
	}, false},
	"Agent": {"Reads the agent that the user is, and its downline.", []string{"read:agents"}, true},
	"Integration": {"Keeps another system in step: agents both ways, and the events about them.", []string{
		"read:agents", "write:agents", "agent-onboarding:applications:read", "read:webhook-subscriptions", "write:webhook-subscriptions",
	}, false},
}
