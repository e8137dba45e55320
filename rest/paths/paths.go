// Package paths is the table of the documented paths of REST: what each is called, which
// stored operation answers it and how its records are written.
package paths

import (
	"net/http"
	"slices"
	"strings"
)

// API is a set of paths below one base path (specification, "What the service
// does").
type API struct {
	Title string
	Base  string
	// Version is the current one (specification, Versioning).
	Version string
	Routes  []Route
	Paging  Paging
	// Versioned reports whether the API's records have lastModified, the version for
	// ETags and If-Match.
	Versioned bool
	// Sort is how the clauses of the query parameter sort are written.
	Sort SortForm
}

// Paging is how the lists of an API are paged.
type Paging struct {
	// Index is the parameter of the page; pageIndex is accepted besides.
	Index string
	// Usual and Most are the default and the largest page size; 0 for the tenant's.
	Usual, Most int
}

// Route is a row of the table: one documented path.
type Route struct {
	Method string
	Path   string
	// Operation is the file of the stored operation, without the folder operations.
	Operation string
	Outcome   Outcome
	Shape     Shape
}

// Outcome says which status a successful operation answers.
type Outcome int

// The outcomes, each with its status.
const (
	Found    Outcome = iota // 200 with one record, 404 when there is none
	Listed                  // 200 with the paged envelope
	Array                   // 200 with all records of a short list
	Created                 // 201 with the record and its Location
	Upserted                // 201 with Location when isNew, else 200
	Applied                 // 201 when a period was applied, 200 when there was an identical one
	Changed                 // 200 with the record
	Removed                 // 204
	Tabled                  // 200 with the paged envelope and the query's description of itself
	Valid                   // 204, or 400 with what is wrong with the record that was checked
)

const (
	get   = http.MethodGet
	post  = http.MethodPost
	put   = http.MethodPut
	patch = http.MethodPatch
	del   = http.MethodDelete
)

// All are the documented paths, API by API.
var All = []API{
	{"Agency Management", "/agency-management/{tenantIdentifier}", "2", agencyRoutes, Paging{Index: "pageIndex"}, true, Spaced},
	{"Agent Onboarding", "/agent-onboarding/{tenantIdentifier}", "1", slices.Concat(onboardingRoutes, applicationRoutes), onboardingPages, true, Spaced},
	{"Identity Management", "/identity-management/{tenantIdentifier}", "1", identityRoutes, identityPages, true, Colon},
	{"Business Insights", "/business-insights/{tenantIdentifier}", "1", insightRoutes, insightPages, false, Spaced},
	{"Webhooks", "/webhooks/{tenantIdentifier}", "1", webhookRoutes, webhookPages, false, Spaced},
	// "Report recipes are not tenant-scoped: their URLs carry no tenant identifier".
	{"Business Insights", "/business-insights/report-recipes", "1", recipeRoutes, recipePages, true, Spaced},
}

// TenantParameter is the part of a path that names the tenant.
const TenantParameter = "tenantIdentifier"

// HasTenant reports whether the paths of the API name a tenant.
func (a API) HasTenant() bool { return strings.Contains(a.Base, "{"+TenantParameter+"}") }

// Doors are the first parts of the paths of the APIs, as in agency-management.
func Doors() []string {
	doors := make([]string, len(All))
	for i, a := range All {
		doors[i], _, _ = strings.Cut(strings.TrimPrefix(a.Base, "/"), "/")
	}
	return doors
}
