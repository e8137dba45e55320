package bearer

import "slices"

// writeRecipes changes what all tenants share: "normally granted only to platform
// staff and trusted partners" (Business Insights).
const writeRecipes = "business-insights:report-recipes:write"

// PlatformTenants lets a client of the platform act in any tenant that a path names.
const PlatformTenants = "platform:tenants"

// ReadTokens lets a resource server ask about the tokens of its tenant.
const ReadTokens = "read:tokens"

// Scope is a right a client can hold.
type Scope struct {
	Name        string
	Description string
}

// Scopes are all scopes. Those of specification, Authentication come first; the others
// are additions of this service.
var Scopes = []Scope{
	{"read:agents", "Read agents, their certifications, teams and hierarchy."},
	{"write:agents", "Create and change agents and what belongs to them."},
	{"delete:agents", "Delete agents."},
	{"agent-onboarding:app-configuration:read", "Read the configuration of the onboarding application."},
	{"agent-onboarding:applications:read", "Read onboarding applications."},
	{"agent-onboarding:applications:write", "Create, change and submit onboarding applications."},
	{"read:roles", "Read roles."},
	{"read:users", "Read users."},
	{"write:users", "Create and change users."},
	{"read:webhook-subscriptions", "Read webhook subscriptions and their deliveries."},
	{"write:webhook-subscriptions", "Create, change and delete webhook subscriptions."},
	{"business-insights:queries:execute", "Run report queries."},
	{"business-insights:report-recipes:read", "Read report recipes."},
	{writeRecipes, "Create, change and delete report recipes, which all tenants share; given at the command line only."},

	{"agent-onboarding:app-configuration:write", "Change the configuration of the onboarding application."},
	{"read:agents:sensitive", "See taxpayer identifiers and bank details in full where the tenant masks them."},
	{"write:roles", "Create, change and delete roles."},
	{"write:settings", "Change the settings of the agency: its name, time zone, page sizes, and what holds for its users."},
	{"read:clients", "Read API clients and their keys; never a secret."},
	{"write:clients", "Create, change and delete API clients and their keys, with no scope that the caller does not hold."},
	{"write:recipes", "Create, change and delete the agency's own report recipes."},
	{"write:production", "Load production records and commission payments."},
	{"mcp:write", "Let an assistant make changes (MCP), each of which takes the scope of its operation besides."},
	{"provision:users", "Provision users and the users of roles by SCIM 2.0; it is an administrator's."},
	{ReadTokens, "Ask the introspection endpoint about tokens and API keys of the tenant's other clients, for resource servers."},
	{PlatformTenants, "Act in any tenant named in the path; for clients of the platform only."},
}

// TenantScopes are the names of the scopes that roles, clients and keys of a tenant can
// hold: all but the platform's. Tokens of a tenant never hold that one.
func TenantScopes() []string {
	return slices.DeleteFunc(AllScopes(), func(name string) bool { return name == PlatformTenants })
}

// GrantableScopes are those of TenantScopes that a tenant's own administration may give
// to roles, clients and keys. The others reach beyond the tenant; the platform's operator
// grants them on the command line.
func GrantableScopes() []string {
	return slices.DeleteFunc(TenantScopes(), func(name string) bool { return name == writeRecipes })
}

// AllScopes are the names of Scopes.
func AllScopes() []string {
	names := make([]string, len(Scopes))
	for i, s := range Scopes {
		names[i] = s.Name
	}
	return names
}
