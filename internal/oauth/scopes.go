package oauth

import "slices"

// PlatformTenants lets a client of the platform act in a tenant that it names
// in the path.
const PlatformTenants = "platform:tenants"

// Scope is a right a client can hold.
type Scope struct {
	Name        string
	Description string
}

// Scopes are all scopes there are. Those of specification, Authentication come
// first; the rest are additions of this service.
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
	{"business-insights:report-recipes:write", "Create, change and delete report recipes, which all tenants share."},

	{"agent-onboarding:app-configuration:write", "Change the configuration of the onboarding application."},
	{"read:agents:sensitive", "See taxpayer identifiers and bank details in full where the tenant masks them."},
	{"graphql:adhoc", "Send GraphQL documents that are not in the server's list of trusted ones."},
	{"write:roles", "Create, change and delete roles."},
	{"read:clients", "Read API clients and their keys; never a secret."},
	{"write:clients", "Create, change and delete API clients and their keys, with no scope that the caller does not hold."},
	{"write:production", "Load production records and commission payments."},
	{PlatformTenants, "Act in any tenant named in the path; for clients of the platform only."},
}

// PlatformGranted are scopes that a client of a tenant can hold, but that only the
// operator of the platform hands out, on the command line: what they change is
// shared by all tenants. "The recipe write scope is normally granted only to platform
// staff and trusted partners" (specification, Business Insights).
var PlatformGranted = []string{"business-insights:report-recipes:write"}

// TenantScopes are the names of those that something of a tenant can hold: all but
// that of the platform. Tokens of a tenant never hold it.
func TenantScopes() []string {
	return slices.DeleteFunc(scopeNames(), func(name string) bool { return name == PlatformTenants })
}

func scopeNames() []string {
	names := make([]string, len(Scopes))
	for i, s := range Scopes {
		names[i] = s.Name
	}
	return names
}
