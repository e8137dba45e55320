package rest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/uplinehq/upline/internal/words/problem"
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

// agencyRoutes are the paths of "Endpoints" in the specification, in its order.
var agencyRoutes = []route{
	// Agents
	{post, "/agents", "agency/agentRegister", created, agent},
	{get, "/agents", "agency/agents", listed, agent},
	{get, "/agents/{agentCode}", "agency/agent", found, agent},
	{get, "/agents/{agentCode}/on-date/{onDate}", "agency/agentOnDate", found, agentOnDate},
	{patch, "/agents/{agentCode}", "agency/agentUpdate", changed, agent},
	{patch, "/agents/{agentCode}/contact", "agency/agentContactUpdate", changed, agent},
	{patch, "/agents/{agentCode}/payee", "agency/agentPayeeUpdate", changed, agent},
	{patch, "/teams/{team}/members/{agentCode}", "agency/agentMembershipUpdate", changed, agent},
	{patch, "/agents/{agentCode}/tags", "agency/agentTagsUpdate", changed, agent},
	{del, "/agents/{agentCode}", "agency/agentDelete", removed, agent},
	{post, "/agents/{agentCode}/aliases", "agency/aliasCreate", created, alias},
	{get, "/agents/{agentCode}/aliases", "agency/agentAliases", listed, alias},
	{get, "/aliases", "agency/aliases", listed, alias},
	{get, "/aliases/{id}", "agency/alias", found, alias},
	{del, "/aliases/{id}", "agency/aliasDelete", removed, alias},
	{get, "/tags/assigned", "agency/tagAssignments", listed, tagAssignment},

	// Certifications
	{get, "/certifications", "agency/certifications", listed, certification},
	{get, "/certifications/history", "agency/certificationPeriods", listed, certificationPeriod},
	{get, "/certifications/{id}", "agency/certification", found, certification},
	{post, "/certifications", "agency/certificationUpsert", upserted, certificationUpsert},
	{patch, "/certifications/{id}", "agency/certificationUpdate", changed, certification},
	{post, "/certifications/{id}/history", "agency/certificationPeriodApply", applied, certificationPeriod},
	{del, "/certifications/{id}", "agency/certificationDelete", removed, certification},

	// Teams
	{get, "/teams/{team}/assigned-uplines", "agency/uplinePeriods", listed, uplinePeriod},
	{post, "/teams/{team}/assigned-uplines", "agency/uplinePeriodApply", applied, uplinePeriod},
	{get, "/teams/{team}/assigned-levels", "agency/levelPeriods", listed, levelPeriod},
	{post, "/teams/{team}/assigned-levels", "agency/levelPeriodApply", applied, levelPeriod},
	{get, "/teams/{team}/upline-members", "agency/uplineMembers", listed, uplineMember},
	{get, "/teams/{team}/downline-members", "agency/downlineMembers", listed, downlineMember},
	{get, "/teams/{team}/agent-levels", "agency/agentLevels", listed, agentLevel},
	{post, "/teams/{team}/agent-levels", "agency/agentLevelCreate", created, agentLevel},
	{get, "/teams/{team}/agent-levels/{value}", "agency/agentLevel", found, agentLevel},
	{patch, "/teams/{team}/agent-levels/{value}", "agency/agentLevelUpdate", changed, agentLevel},
	{del, "/teams/{team}/agent-levels/{value}", "agency/agentLevelDelete", removed, agentLevel},

	// Payees
	{get, "/payees/assigned-statuses", "agency/payStatusPeriods", listed, payStatusPeriod},
	{post, "/payees/assigned-statuses", "agency/payStatusPeriodApply", applied, payStatusPeriod},
	{get, "/payees/w9s", "agency/w9Periods", listed, w9Period},
	{post, "/payees/w9s", "agency/w9PeriodApply", applied, w9Period},

	// Reference data
	{get, "/certification-types", "agency/certificationTypes", listed, certificationType},
	{post, "/certification-types", "agency/certificationTypeCreate", created, certificationType},
	{patch, "/certification-types/{code}", "agency/certificationTypeUpdate", changed, certificationType},
	{del, "/certification-types/{code}", "agency/certificationTypeDelete", removed, certificationType},
	{get, "/jurisdictions", "agency/jurisdictions", listed, jurisdiction},
	{post, "/jurisdictions", "agency/jurisdictionCreate", created, jurisdiction},
	{get, "/jurisdictions/{id}", "agency/jurisdiction", found, jurisdiction},
	{patch, "/jurisdictions/{id}", "agency/jurisdictionUpdate", changed, jurisdiction},
	{del, "/jurisdictions/{id}", "agency/jurisdictionDelete", removed, jurisdiction},
	{get, "/pay-statuses", "agency/payStatuses", listed, payStatus},
	{post, "/pay-statuses", "agency/payStatusCreate", created, payStatus},
	{get, "/pay-statuses/{name}", "agency/payStatus", found, payStatus},
	{patch, "/pay-statuses/{name}", "agency/payStatusUpdate", changed, payStatus},
	{del, "/pay-statuses/{name}", "agency/payStatusDelete", removed, payStatus},
	{get, "/tags", "agency/tags", listed, tag},
	{post, "/tags", "agency/tagCreate", created, tag},
	{get, "/tags/{name}", "agency/tag", found, tag},
	{patch, "/tags/{name}", "agency/tagUpdate", changed, tag},
	{del, "/tags/{name}", "agency/tagDelete", removed, tag},
}

func (d *door) router(apis []api) (*Handler, error) {
	schema := d.Executor.Schema()
	endpoints, err := newEndpoints(schema, apis)
	if err != nil {
		return nil, err
	}
	root := chi.NewRouter()
	root.Use(noSniff, middleware.GetHead)
	root.NotFound(d.notFound)
	root.MethodNotAllowed(d.methodNotAllowed(root))
	d.publish(root, endpoints)
	for _, a := range apis {
		tenant := chi.NewRouter()
		tenant.Use(noStore, d.authorize, d.negotiateVersion(a.version), middleware.GetHead)
		for _, e := range endpoints {
			if e.api.base == a.base {
				e.door = d
				tenant.Method(e.route.method, cmp.Or(e.route.path, "/"), e)
			}
		}
		root.Mount(a.base, tenant)
	}
	return &Handler{root, schema, endpoints}, nil
}

func (d *door) notFound(w http.ResponseWriter, r *http.Request) {
	d.refuse(w, r, &problem.Error{Status: http.StatusNotFound, Code: "NOT_FOUND", Message: "There is no such path"})
}

// methodNotAllowed answers 405 with the methods the path has (RFC 9110
// §15.5.6: "The origin server MUST generate an Allow header field").
func (d *door) methodNotAllowed(root *chi.Mux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		var allowed []string
		for _, method := range []string{get, post, patch, put, del} {
			if root.Match(chi.NewRouteContext(), method, path) {
				allowed = append(allowed, method)
			}
		}
		if slices.Contains(allowed, get) {
			allowed = append(allowed, http.MethodHead)
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		d.refuse(w, r, &problem.Error{
			Status: http.StatusMethodNotAllowed, Code: "METHOD_NOT_ALLOWED",
			Message: "The path serves " + strings.Join(allowed, ", "),
		})
	}
}
