package rest

import (
	"net/http"
	"slices"
	"strings"
)

// api is a set of paths below one base path (specification, "What the service
// does").
type api struct {
	title string
	base  string
	// version is the current one (specification, Versioning).
	version string
	routes  []route
	paging  paging
	// versioned reports whether the API's records have lastModified, the version for
	// ETags and If-Match.
	versioned bool
	// sort is how the clauses of the query parameter sort are written.
	sort sortForm
}

// paging is how the lists of an API are paged.
type paging struct {
	// index is the parameter of the page; pageIndex is accepted besides.
	index string
	// usual and most are the default and the largest page size; 0 for the tenant's.
	usual, most int
}

// route is a row of the table: one documented path.
type route struct {
	method string
	path   string
	// operation is the file of the stored operation, without the folder operations.
	operation string
	outcome   outcome
	shape     shape
}

// outcome says which status a successful operation answers.
type outcome int

const (
	found    outcome = iota // 200 with one record, 404 when there is none
	listed                  // 200 with the paged envelope
	array                   // 200 with all records of a short list
	created                 // 201 with the record and its Location
	upserted                // 201 with Location when isNew, else 200
	applied                 // 201 when a period was applied, 200 when there was an identical one
	changed                 // 200 with the record
	removed                 // 204
	tabled                  // 200 with the paged envelope and the query's description of itself
	valid                   // 204, or 400 with what is wrong with the record that was checked
)

const (
	get   = http.MethodGet
	post  = http.MethodPost
	put   = http.MethodPut
	patch = http.MethodPatch
	del   = http.MethodDelete
)

var apis = []api{
	{"Agency Management", "/agency-management/{tenantIdentifier}", "2", agencyRoutes, paging{index: "pageIndex"}, true, spaced},
	{"Agent Onboarding", "/agent-onboarding/{tenantIdentifier}", "1", slices.Concat(onboardingRoutes, applicationRoutes), onboardingPages, true, spaced},
	{"Identity Management", "/identity-management/{tenantIdentifier}", "1", identityRoutes, identityPages, true, colon},
	{"Business Insights", "/business-insights/{tenantIdentifier}", "1", insightRoutes, insightPages, false, spaced},
	{"Webhooks", "/webhooks/{tenantIdentifier}", "1", webhookRoutes, webhookPages, false, spaced},
	// "Report recipes are not tenant-scoped: their URLs carry no tenant identifier".
	{"Business Insights", "/business-insights/report-recipes", "1", recipeRoutes, recipePages, true, spaced},
}

// tenantParameter is the part of a path that names the tenant.
const tenantParameter = "tenantIdentifier"

// hasTenant reports whether the paths of the API name a tenant.
func (a api) hasTenant() bool { return strings.Contains(a.base, "{"+tenantParameter+"}") }

// Doors are the first parts of the paths of the APIs, as in agency-management.
func Doors() []string {
	doors := make([]string, len(apis))
	for i, a := range apis {
		doors[i], _, _ = strings.Cut(strings.TrimPrefix(a.base, "/"), "/")
	}
	return doors
}
