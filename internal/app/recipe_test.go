package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/audit"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/page"
	"github.com/uplinehq/upline/internal/tenant"
)

const (
	readRecipes  = "business-insights:report-recipes:read"
	writeRecipes = "business-insights:report-recipes:write"
	runReports   = "business-insights:queries:execute"
	recipes      = "/business-insights/report-recipes"
)

func recipeBody(name, dataset string, definition object) object {
	return object{"name": name, "dataset": dataset, "definition": definition}
}

var agentCodes = object{"columns": []any{object{"field": "agentCode"}}, "sort": []any{object{"field": "agentCode"}}}

// createRecipe makes a recipe and returns its id.
func createRecipe(t *testing.T, c *apptest.Caller, body object) string {
	t.Helper()
	status, _, answer := sendTo(t, c, http.MethodPost, recipes, body)
	var made struct{ ID string }
	if err := json.Unmarshal(answer, &made); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s", status, answer)
	}
	return made.ID
}

// "Report recipes are not tenant-scoped: their URLs carry no tenant identifier and
// they are shared across the platform": a token of the platform, and of any tenant,
// that holds the scope sees the same; one that holds none is refused.
func TestRecipesAreShared(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		platform := w.AsPlatform("", readRecipes, writeRecipes)
		acme, umbra := w.As(apptest.Acme, readRecipes, writeRecipes), w.As(apptest.Umbra, readRecipes)
		ids := []string{createRecipe(t, platform, recipeBody("A", "agents", agentCodes)), createRecipe(t, acme, recipeBody("B", "agents", agentCodes))}
		for _, c := range []*apptest.Caller{platform, acme, umbra} {
			status, _, answer := sendTo(t, c, http.MethodGet, recipes, nil)
			for _, id := range ids {
				if status != http.StatusOK || !strings.Contains(string(answer), id) {
					t.Errorf("%d %s; want %s", status, answer, id)
				}
			}
			if status, _, answer = sendTo(t, c, http.MethodGet, recipes+"/"+ids[0], nil); status != http.StatusOK {
				t.Errorf("%d %s", status, answer)
			}
		}
		if status, _, answer := sendTo(t, umbra, http.MethodDelete, recipes+"/"+ids[0], nil); status != http.StatusForbidden {
			t.Errorf("without the write scope: %d %s", status, answer)
		}
		// A token of the platform acts in no tenant here: nothing else is served to it.
		if status, _, answer := sendTo(t, platform, http.MethodGet, "/agency-management/acme/agents", nil); status != http.StatusForbidden {
			t.Errorf("agents for the platform: %d %s", status, answer)
		}
		if status, _, answer := sendTo(t, platform, http.MethodGet, "/agency-management//agents", nil); status < http.StatusMultipleChoices {
			t.Errorf("agents of no tenant: %d %s", status, answer)
		}
	})
}

// A request of the platform with an Idempotency-Key makes its recipe once.
func TestPlatformRequestsAreIdempotent(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.AsPlatform("", readRecipes, writeRecipes)
		body, err := json.Marshal(recipeBody("A", "agents", agentCodes))
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{"Idempotency-Key": {"k-1"}}
		first, again := c.Send(t, http.MethodPost, recipes, header, body), c.Send(t, http.MethodPost, recipes, header.Clone(), body)
		if first.Code != http.StatusCreated || again.Code != http.StatusCreated || first.Body.String() != again.Body.String() || again.Header().Get("Idempotency-Replayed") != "true" {
			t.Errorf("%d %s\n%d %s", first.Code, first.Body, again.Code, again.Body)
		}
	})
}

// Each change is in the trail of the caller's tenant and in the platform's, with the
// names of the fields; what changed nothing, or was refused, is in neither.
func TestRecipeChangesAreAudited(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		acme, platform := w.As(apptest.Acme, readRecipes, writeRecipes, "read:agents"), w.AsPlatform("", writeRecipes)
		id := createRecipe(t, acme, recipeBody("A", "agents", agentCodes))
		other := createRecipe(t, platform, recipeBody("B", "agents", agentCodes))
		put := func(c *apptest.Caller, id, name string) {
			t.Helper()
			sendTo(t, c, http.MethodPut, recipes+"/"+id, recipeBody(name, "agents", agentCodes))
		}
		put(acme, id, "A")   // nothing changes
		put(acme, id, "b")   // the name of another
		put(acme, id, "A 2") // changes
		put(platform, other, "B 2")
		acme.Query(t, `mutation($id: ID!) { reportRecipeDelete(id: $id) { applied } }`, object{"id": id})

		entries := func(of *tenant.Tenant) (all []string) {
			t.Helper()
			rows, err := auditRows(t, w, of)
			if err != nil {
				t.Fatal(err)
			}
			return rows
		}
		ours := []string{
			"reportRecipeCreate ReportRecipe " + id + " dataset definition description name",
			"reportRecipeReplace ReportRecipe " + id + " name",
			"reportRecipeDelete ReportRecipe " + id + " ",
		}
		if got := entries(w.Tenants[apptest.Acme]); !slices.Equal(got, ours) {
			t.Errorf("acme's trail\n%q; want\n%q", got, ours)
		}
		all := []string{ours[0], "reportRecipeCreate ReportRecipe " + other + " dataset definition description name", ours[1], "reportRecipeReplace ReportRecipe " + other + " name", ours[2]}
		if got := entries(tenant.Platform); !slices.Equal(got, all) {
			t.Errorf("the platform's trail\n%q; want\n%q", got, all)
		}
		for _, of := range []*tenant.Tenant{tenant.Platform, w.Tenants[apptest.Acme]} {
			if r, err := w.Audit.Verify(tenant.With(t.Context(), of), noHead); err != nil || r.Broken() {
				t.Errorf("%+v %v", r, err)
			}
		}
	})
}

// noHead is that of a trail of which nothing was noted down.
var noHead audit.Head

// auditRows are the writes in a tenant's trail, oldest first.
func auditRows(t *testing.T, w *apptest.World, of *tenant.Tenant) ([]string, error) {
	t.Helper()
	ctx := tenant.With(t.Context(), of)
	list, err := w.Audit.List(ctx, audit.Filter{})
	if err != nil {
		return nil, err
	}
	found, err := list.Page(ctx, page.Args{})
	var all []string
	for _, r := range slices.Backward(found.Items) {
		var fields []string
		for _, c := range r.Changes {
			fields = append(fields, c.Field)
		}
		slices.Sort(fields)
		all = append(all, r.Operation+" "+r.EntityType+" "+strings.Join(r.EntityKeys, " ")+" "+strings.Join(fields, " "))
	}
	return all, err
}

// Every tenant sees every recipe, but no name of a user or client of another.
func TestRecipesNameNobodyOfOthers(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		acme, umbra, platform := w.As(apptest.Acme, readRecipes, writeRecipes), w.As(apptest.Umbra, readRecipes), w.AsPlatform("", readRecipes, writeRecipes)
		ofAcme := createRecipe(t, acme, recipeBody("A", "agents", agentCodes))
		ofPlatform := createRecipe(t, platform, recipeBody("P", "agents", agentCodes))
		by := func(c *apptest.Caller, id string) string {
			t.Helper()
			_, _, answer := sendTo(t, c, http.MethodGet, recipes+"/"+id, nil)
			var r struct{ CreatedBy, LastModifiedBy string }
			if err := json.Unmarshal(answer, &r); err != nil || r.CreatedBy != r.LastModifiedBy {
				t.Fatalf("%s %v", answer, err)
			}
			return r.CreatedBy
		}
		own := by(acme, ofAcme)
		if !strings.HasPrefix(own, "clientacme") || by(platform, ofAcme) != own {
			t.Errorf("acme sees %q, the platform %q", own, by(platform, ofAcme))
		}
		if got := by(umbra, ofAcme); got != "partner" {
			t.Errorf("umbra sees %q; want partner", got)
		}
		if got := by(umbra, ofPlatform); got != "platform" {
			t.Errorf("umbra sees %q; want platform", got)
		}
	})
}

// "The recipe write scope is normally granted only to platform staff and trusted
// partners": nobody in a tenant gives it to a role, a client or, unless a client was
// given it, a key.
func TestTenantsCannotGrantTheRecipeWriteScope(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		for _, c := range []*apptest.Caller{w.As(apptest.Acme, "write:roles", "write:clients", "read:agents"), w.As(apptest.Acme, allScopes...)} {
			for _, mutation := range []string{
				`roleCreate(input: {name: "R", scopes: ["read:agents", "` + writeRecipes + `"]})`,
				`clientCreate(input: {name: "c", scopes: ["` + writeRecipes + `"]})`,
			} {
				data := c.Query(t, "mutation { m: "+mutation+" { applied userErrors { code field } } }", nil)
				if apptest.At(data, "m.applied") != false || apptest.At(data, "m.userErrors.0.field.1") != "scopes" {
					t.Errorf("%s: %v", mutation, data)
				}
			}
			c.Query(t, `mutation { roleCreate(input: {name: "R", scopes: ["read:agents"]}) { applied } clientCreate(input: {name: "c", scopes: ["read:agents"]}) { applied } }`, nil)
			for _, mutation := range []string{
				`roleUpdate(name: "R", input: {scopes: ["` + writeRecipes + `"]})`,
				`clientUpdate(clientId: "acme.c", input: {scopes: ["read:agents", "` + writeRecipes + `"]})`,
				`apiKeyCreate(clientId: "acme.c", input: {name: "k", scopes: ["` + writeRecipes + `"]})`,
			} {
				data := c.Query(t, "mutation { m: "+mutation+" { applied userErrors { code field } } }", nil)
				if apptest.At(data, "m.userErrors.0.code") == nil {
					t.Errorf("%s: %v", mutation, data)
				}
			}
		}
	})
}

// run asks for a report.
func runRecipe(t *testing.T, c *apptest.Caller, id, arguments, selected string) (any, []apptest.Error) {
	t.Helper()
	if arguments != "" {
		arguments = "(" + arguments + ")"
	}
	return c.GraphQL(t, fmt.Sprintf(`{ reportRecipe(id: %q) { run%s { %s } } }`, id, arguments, selected), nil)
}

// A report has rows of the caller's tenant only, and is made only for who may run
// reports and may read the dataset.
func TestReportsOfATenant(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		acme, umbra := w.As(apptest.Acme, readRecipes, writeRecipes, runReports, "read:agents", "write:agents"), w.As(apptest.Umbra, readRecipes, runReports, "read:agents", "write:agents")
		id := createRecipe(t, acme, recipeBody("A", "agents", agentCodes))
		for c, code := range map[*apptest.Caller]string{acme: "ACME1", umbra: "UMBRA1"} {
			register(t, c, code, nil)
		}
		for c, code := range map[*apptest.Caller]string{acme: "ACME1", umbra: "UMBRA1"} {
			data, errs := runRecipe(t, c, id, "", "totalCount rows title parameters columns { key label type format }")
			encoded, _ := json.Marshal(apptest.At(data, "reportRecipe.run"))
			want := `{"columns":[{"format":"text","key":"agentCode","label":"agentCode","type":"text"}],"parameters":{"onDate":"2026-06-15"},"rows":[{"agentCode":"` + code + `"}],"title":"A","totalCount":1}`
			if errs != nil || string(encoded) != want {
				t.Errorf("%s: %s %+v", code, encoded, errs)
			}
		}
		for _, c := range []struct {
			scopes []string
			needs  string
		}{{[]string{readRecipes, "read:agents"}, runReports}, {[]string{readRecipes, runReports}, "read:agents"}} {
			_, errs := runRecipe(t, w.As(apptest.Acme, c.scopes...), id, "", "rows")
			if len(errs) != 1 || !strings.Contains(errs[0].Message, c.needs) {
				t.Errorf("without %s: %+v", c.needs, errs)
			}
		}
		// A cursor of one tenant is none of the other.
		register(t, acme, "ACME2", nil)
		data, _ := runRecipe(t, acme, id, "first: 1", "pageInfo { endCursor hasNextPage }")
		cursor, _ := apptest.At(data, "reportRecipe.run.pageInfo.endCursor").(string)
		if data, _ = runRecipe(t, acme, id, fmt.Sprintf("first: 1, after: %q", cursor), "rows"); apptest.At(data, "reportRecipe.run.rows.0.agentCode") != "ACME2" {
			t.Errorf("the second page: %v", data)
		}
		if _, errs := runRecipe(t, umbra, id, fmt.Sprintf("after: %q", cursor), "rows"); len(errs) != 1 || errs[0].Extensions["reason"] != "INVALID_CURSOR" {
			t.Errorf("%+v", errs)
		}
	})
}

// "bad parameters → 400 naming the parameter and listing what is allowed"; onDate and
// asOf decide the day.
func TestReportParametersAndDays(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, readRecipes, writeRecipes, runReports, "read:agents", "write:agents")
		register(t, c, "A1", object{"startDate": "2026-01-01T00:00:00Z"})
		w.Clock.Move(24 * time.Hour)
		if status, _, answer := c.REST(t, "PATCH", "/agents/A1/payee", object{"status": "Terminated", "initiator": "x"}); status != 200 {
			t.Fatalf("%d %s", status, answer)
		}
		recipe := func(asOf string) string {
			return createRecipe(t, c, recipeBody("as of "+asOf, "agents", object{
				"columns":    []any{object{"field": "payStatus"}},
				"filters":    []any{object{"field": "agentCode", "operator": "eq", "value": object{"parameter": "code"}}},
				"parameters": []any{object{"name": "code", "type": "text", "required": true}}, "asOf": asOf,
			}))
		}
		today, asked, fixed := recipe("today"), recipe("parameter"), recipe("2026-06-15")
		for _, r := range []struct{ id, arguments, status, reason string }{
			{today, `tenantParameters: {code: "A1"}`, "Terminated", ""},
			{today, `tenantParameters: {code: "A1"}, onDate: "2026-06-15"`, "Active", ""},
			{asked, `tenantParameters: {code: "A1"}, onDate: "2026-06-15"`, "Active", ""},
			{asked, `tenantParameters: {code: "A1"}`, "", "REQUIRED onDate"},
			{fixed, `tenantParameters: {code: "A1"}`, "Active", ""},
			{fixed, `tenantParameters: {code: "A1"}, onDate: "2026-06-16"`, "", "NOT_APPLICABLE onDate"},
			{today, ``, "", "REQUIRED tenantParameters.code"},
			{today, `tenantParameters: {code: 5}`, "", "INVALID_FORMAT tenantParameters.code"},
			{today, `tenantParameters: {code: "A1", other: 1}`, "", "UNKNOWN_FIELD tenantParameters.other"},
			{today, `tenantParameters: {code: "A1"}, first: 501`, "", "PAGE_SIZE_EXCEEDED first"},
			{today, `tenantParameters: {code: "A1"}, after: "x"`, "", "INVALID_CURSOR after"},
		} {
			data, errs := runRecipe(t, c, r.id, r.arguments, "rows")
			got := ""
			if len(errs) > 0 {
				var field []string
				for _, f := range errs[0].Extensions["field"].([]any) {
					field = append(field, f.(string))
				}
				got = fmt.Sprint(errs[0].Extensions["reason"]) + " " + strings.Join(field, ".")
			}
			if status, _ := apptest.At(data, "reportRecipe.run.rows.0.payStatus").(string); status != r.status || got != r.reason {
				t.Errorf("%s: %q %q; want %q %q", r.arguments, status, got, r.status, r.reason)
			}
		}
	})
}

// A saved query runs with the scopes and the tenant of the caller, and is paged by
// its connection.
func TestSavedQueries(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		all := []string{readRecipes, writeRecipes, runReports, "read:agents", "write:agents"}
		c := w.As(apptest.Acme, all...)
		for _, code := range []string{"A1", "A2", "A3"} {
			register(t, c, code, object{"governmentIdentifier": "523-45-6781"})
		}
		const document = `query($first: Int, $after: String, $onDate: Date, $status: [String!]) { agents(first: $first, after: $after, onDate: $onDate, filter: {payStatus: $status}) {
			nodes { code: agentCode governmentIdentifier payStatus { name } } pageInfo { hasNextPage endCursor } totalCount } }`
		columns := []any{object{"field": "code"}, object{"field": "payStatus.name", "label": "Status"}, object{"field": "governmentIdentifier"}}
		saved := func(document string, with object) object {
			definition := object{"graphql": document, "connectionPath": "agents", "columns": columns}
			for name, v := range with {
				definition[name] = v
			}
			return recipeBody("Q", "graphql", definition)
		}
		id := createRecipe(t, c, saved(document, object{"variables": object{"status": []any{"Active"}}}))
		data, errs := runRecipe(t, c, id, "first: 2", "rows totalCount columns { key label type } pageInfo { hasNextPage endCursor }")
		encoded, _ := json.Marshal(apptest.At(data, "reportRecipe.run.rows"))
		if errs != nil || !strings.HasPrefix(string(encoded), `[{"code":"A1","governmentIdentifier":"`) || strings.Contains(string(encoded), "6781\"},{\"code\":\"A3") || strings.Contains(string(encoded), "523") ||
			fmt.Sprint(apptest.At(data, "reportRecipe.run.totalCount")) != "3" || apptest.At(data, "reportRecipe.run.pageInfo.hasNextPage") != true {
			t.Errorf("%s %v %+v", encoded, data, errs)
		}
		cursor := apptest.At(data, "reportRecipe.run.pageInfo.endCursor")
		data, errs = runRecipe(t, c, id, fmt.Sprintf("first: 2, after: %q", cursor), "rows pageInfo { hasNextPage hasPreviousPage }")
		if errs != nil || apptest.At(data, "reportRecipe.run.rows.0.code") != "A3" || apptest.At(data, "reportRecipe.run.pageInfo.hasNextPage") != false {
			t.Errorf("%v %+v", data, errs)
		}
		if data, errs = runRecipe(t, c, id, `tenantParameters: {status: ["Terminated"]}`, "rows"); errs != nil || len(apptest.At(data, "reportRecipe.run.rows").([]any)) != 0 {
			t.Errorf("%v %+v", data, errs)
		}
		if _, errs = runRecipe(t, c, id, `tenantParameters: {first: 5}`, "rows"); len(errs) != 1 || errs[0].Extensions["reason"] != "UNKNOWN_FIELD" {
			t.Errorf("%+v", errs)
		}
		if _, errs = runRecipe(t, w.As(apptest.Acme, readRecipes, runReports), id, "", "rows"); len(errs) != 1 || errs[0].Code() != "FORBIDDEN" {
			t.Errorf("without read:agents: %+v", errs)
		}
		if data, errs = runRecipe(t, w.As(apptest.Umbra, all...), id, "", "rows totalCount"); errs != nil || fmt.Sprint(apptest.At(data, "reportRecipe.run.totalCount")) != "0" {
			t.Errorf("in umbra: %v %+v", data, errs)
		}
		page := `(first: $first, after: $after)`
		rest := ` pageInfo { hasNextPage endCursor } totalCount`
		for name, body := range map[string]object{
			"a mutation":             saved(`mutation { tagDelete(name: "x") { applied } }`, nil),
			"two operations":         saved(document+` query Other { viewer { subject } }`, nil),
			"no document":            saved(`select * from agency_agent`, nil),
			"an unknown field":       saved(strings.Replace(document, "agentCode", "taxId", 1), nil),
			"a value revealed":       saved(strings.Replace(document, "governmentIdentifier", "governmentIdentifier(reveal: true)", 1), nil),
			"the schema":             saved(strings.Replace(document, "{ agents", "{ __schema { types { name } } agents", 1), nil),
			"a recipe":               saved(strings.Replace(document, "{ agents", "{ reportRecipes(first: 1) { totalCount } agents", 1), nil),
			"no paging":              saved(`{ agents { nodes { code: agentCode governmentIdentifier payStatus { name } }`+rest+` } }`, nil),
			"paging for some":        saved(strings.Replace(document, "totalCount", "totalCount @include(if: true)", 1), nil),
			"pages for some":         saved(strings.Replace(document, "pageInfo {", "... @skip(if: false) { pageInfo {", 1)+"}", nil),
			"no page info":           saved(`query($first: Int, $after: String) { agents`+page+` { nodes { code: agentCode governmentIdentifier payStatus { name } } } }`, nil),
			"a cost above the limit": saved(`query($first: Int, $after: String) { agents`+page+` { nodes { code: agentCode governmentIdentifier payStatus { name } certifications(first: 100) { nodes { type { name } } } }`+rest+` } }`, nil),
			"another path":           saved(document, object{"connectionPath": "agents.nodes"}),
			"an object as a column":  saved(document, object{"columns": []any{object{"field": "payStatus"}}}),
			"a column not asked for": saved(document, object{"columns": []any{object{"field": "lastName"}}}),
			"another variable":       saved(document, object{"variables": object{"other": 1}}),
			"the page as a variable": saved(document, object{"variables": object{"first": 1}}),
		} {
			body["name"] = name
			if status, _, answer := sendTo(t, c, http.MethodPost, recipes, body); status != http.StatusBadRequest || !strings.Contains(string(answer), `"definition.`) {
				t.Errorf("%s: %d %s", name, status, answer)
			}
		}
	})
}

// The header As-Of-Date is the day of those recipes that take one, and no reason to
// refuse the others.
func TestRecipesTakeTheDayOfTheRequest(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, readRecipes, writeRecipes, runReports, "read:agents")
		query := func(parameters, argument string) object {
			return object{"connectionPath": "agents", "columns": []any{object{"field": "agentCode"}},
				"graphql": "query($first: Int, $after: String" + parameters + ") { agents(first: $first, after: $after" + argument + ") { nodes { agentCode } pageInfo { hasNextPage endCursor } totalCount } }"}
		}
		of := func(asOf string) object { return object{"columns": []any{object{"field": "agentCode"}}, "asOf": asOf} }
		for name, r := range map[string]struct {
			dataset    string
			definition object
			want       any
		}{
			"today": {"agents", of("today"), "2025-06-01"}, "asked for": {"agents", of("parameter"), "2025-06-01"}, "fixed": {"agents", of("2026-01-02"), "2026-01-02"},
			"with a variable": {"graphql", query(", $onDate: Date", ", onDate: $onDate"), "2025-06-01"}, "without": {"graphql", query("", ""), nil},
		} {
			id := createRecipe(t, c, recipeBody(name, r.dataset, r.definition))
			got := c.GraphQLWith(t, http.Header{"As-Of-Date": {"2025-06-01"}}, fmt.Sprintf(`{ reportRecipe(id: %q) { run { rows parameters } } }`, id), nil)
			if day := apptest.At(got.Data, "reportRecipe.run.parameters.onDate"); got.Errors != nil || day != r.want {
				t.Errorf("%s: %v %+v; want %v", name, day, got.Errors, r.want)
			}
		}
		got := c.GraphQLWith(t, http.Header{"As-Of-Date": {"2025-06-01"}}, `{ insight(slug: "pay-status-summary") { parameters } }`, nil)
		if got.Errors != nil || apptest.At(got.Data, "insight.parameters.onDate") != "2025-06-01" {
			t.Errorf("%+v", got)
		}
	})
}

// The id of a recipe is the same in capitals, for each method.
func TestRecipeIDsInCapitals(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, readRecipes, writeRecipes)
		id := createRecipe(t, c, recipeBody("A", "agents", agentCodes))
		at := recipes + "/" + strings.ToUpper(id)
		for _, r := range []struct {
			method string
			body   any
			status int
		}{{http.MethodGet, nil, 200}, {http.MethodPut, recipeBody("B", "agents", agentCodes), 200}, {http.MethodDelete, nil, 204}} {
			if status, _, answer := sendTo(t, c, r.method, at, r.body); status != r.status {
				t.Errorf("%s: %d %s; want %d", r.method, status, answer, r.status)
			}
		}
		rows, err := auditRows(t, w, w.Tenants[apptest.Acme])
		if err != nil || len(rows) != 3 || !strings.Contains(rows[2], id) {
			t.Errorf("%q %v", rows, err)
		}
	})
}

// Several problems of a field are told in their order, as errors of that field; one
// that is about a scope is forbidden, and names it.
func TestProblemsOfAReport(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, readRecipes, writeRecipes, runReports, "read:agents")
		plain := createRecipe(t, c, recipeBody("plain", "agents", agentCodes))
		_, errs := runRecipe(t, c, plain, `tenantParameters: {a: 1, b: 2, c: 3}`, "rows")
		if got := fields(errs); got != "a b c" {
			t.Errorf("%s", got)
		}
		saved := createRecipe(t, c, recipeBody("saved", "graphql", object{"connectionPath": "certifications", "columns": []any{object{"field": "id"}},
			"graphql": "query($first: Int, $after: String, $a: String, $b: String) { other: insight(slug: \"leaderboard\", parameters: {metric: $a, from: $b}) { totalCount } " +
				"certifications(first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } totalCount } }"}))
		_, errs = runRecipe(t, c, saved, `tenantParameters: {a: "x", b: "y"}`, "rows")
		if got := fields(errs); got != "metric from" {
			t.Errorf("%s", got)
		}
		for _, e := range errs {
			if fmt.Sprint(e.Path) != "[reportRecipe run]" {
				t.Errorf("%+v", e)
			}
		}
		_, errs = runRecipe(t, w.As(apptest.Acme, readRecipes, runReports), plain, "", "rows")
		if len(errs) != 1 || errs[0].Code() != "FORBIDDEN" || errs[0].Extensions["requiredScope"] != "read:agents" {
			t.Errorf("%+v", errs)
		}
	})
}

// fields are the last elements of the fields that errors are about.
func fields(errs []apptest.Error) string {
	var all []string
	for _, e := range errs {
		path, _ := e.Extensions["field"].([]any)
		if len(path) > 0 {
			all = append(all, fmt.Sprint(path[len(path)-1]))
		}
	}
	return strings.Join(all, " ")
}

// A user who is limited to its downline runs the reports that everybody runs, and
// finds its downline in them: in rows, in figures and on every day.
func TestLimitedUserRunsReports(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		l := newLimited(t, w)
		for code, premium := range map[string]string{"UMBRA1": "1000", "MINE1": "20.50", "SEER": "3"} {
			data := l.admin.Query(t, fmt.Sprintf(`mutation { productionRecordUpsert(input: {agentCode: %q, providerCompany: "UMBRACO", policyNumber: "P-1", issuedOn: "2026-06-10",
				annualPremium: %q, initiator: "hr"}) { applied userErrors { message } } }`, code, premium), nil)
			if apptest.At(data, "productionRecordUpsert.applied") != true {
				t.Fatal(data)
			}
		}
		platform := w.AsPlatform("", writeRecipes)
		for _, d := range recipe.Datasets() {
			columns := make([]any, len(d.Fields))
			for i, f := range d.Fields {
				columns[i] = object{"field": f.Name}
			}
			id := createRecipe(t, platform, recipeBody(d.Name, d.Name, object{"columns": columns}))
			for _, day := range []string{`onDate: "2026-06-15"`, `onDate: "2026-06-05"`, `onDate: "2027-01-01"`} {
				l.findsItsDownline(t, d.Name, id, day)
			}
		}
		sum := createRecipe(t, platform, recipeBody("Premium", "production", object{"columns": []any{object{"field": "annualPremium", "aggregate": "sum"}, object{"field": "agentCode", "aggregate": "count"}}}))
		saved := createRecipe(t, platform, recipeBody("Saved", "graphql", object{"connectionPath": "agents", "columns": []any{object{"field": "agentCode"}},
			"graphql": "query($first: Int, $after: String) { agents(first: $first, after: $after) { nodes { agentCode } pageInfo { hasNextPage endCursor } totalCount } }"}))
		for id, want := range map[string]string{
			sum:   `[{"agentCodeCount":2,"annualPremiumSum":"23.50"}]`,
			saved: `[{"agentCode":"MINE1"},{"agentCode":"MINE2"},{"agentCode":"SEER"}]`,
		} {
			data, errs := runRecipe(t, l.caller, id, "", "rows")
			if got, _ := json.Marshal(apptest.At(data, "reportRecipe.run.rows")); errs != nil || string(got) != want {
				t.Errorf("%s %+v; want %s", got, errs, want)
			}
		}
	})
}

// findsItsDownline runs a report of all fields of a dataset.
func (l *limited) findsItsDownline(t *testing.T, dataset, id, day string) {
	t.Helper()
	data, errs := runRecipe(t, l.caller, id, day, "rows totalCount")
	encoded, _ := json.Marshal(apptest.At(data, "reportRecipe.run.rows"))
	if dataset == "webhookDeliveries" {
		if len(errs) != 1 || errs[0].Extensions["reason"] != "FORBIDDEN" {
			t.Errorf("%s: %s %+v", dataset, encoded, errs)
		}
		return
	}
	if canary := leaksOutside(encoded); errs != nil || canary != "" {
		t.Errorf("%s, %s: %q in %s %+v", dataset, day, canary, encoded, errs)
	}
	of := map[string][]string{"agents": own, "downline": own[1:], "applications": nil}
	codes := apptest.Each(data, "reportRecipe.run.rows", "agentCode")
	if len(codes) == 0 {
		t.Errorf("%s, %s: nothing is found", dataset, day)
	}
	for _, code := range codes {
		if code != nil && !slices.Contains(own, code.(string)) {
			t.Errorf("%s, %s: a row of %v", dataset, day, code)
		}
	}
	for _, code := range of[dataset] {
		if !slices.Contains(codes, any(code)) {
			t.Errorf("%s, %s: no row of %s in %v", dataset, day, code, codes)
		}
	}
}

// Whatever stands in a definition, it never gets into a statement: it is refused, or
// compared as a value.
func TestHostileDefinitions(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, readRecipes, writeRecipes, runReports, "read:agents", "write:agents")
		register(t, c, "A1", nil)
		corpus := []string{`' OR '1'='1`, `'; DROP TABLE agency_agent; --`, `" OR 1=1 --`, `a.code, (SELECT secret FROM webhook_subscription)`, `1) UNION SELECT wrapped FROM tenant_keyset --`,
			`$1`, `?`, `@tenant`, `%`, `_`, `\`, `*`, `agentCode; --`, `AGENTCODE`, `agentCode `, "agentCode\u0000", `pg_sleep(10)`, `{{.}}`, `${x}`}
		for i, hostile := range corpus {
			for place, definition := range map[string]object{
				"field":     {"columns": []any{object{"field": hostile}}},
				"aggregate": {"columns": []any{object{"field": "agentCode", "aggregate": hostile}}},
				"format":    {"columns": []any{object{"field": "agentCode", "format": hostile}}},
				"operator":  {"columns": []any{object{"field": "agentCode"}}, "filters": []any{object{"field": "agentCode", "operator": hostile, "value": "x"}}},
				"filter":    {"columns": []any{object{"field": "agentCode"}}, "filters": []any{object{"field": hostile, "operator": "eq", "value": "x"}}},
				"groupBy":   {"columns": []any{object{"field": "agentCode"}}, "groupBy": []any{hostile}},
				"sort":      {"columns": []any{object{"field": "agentCode"}}, "sort": []any{object{"field": hostile}}},
				"direction": {"columns": []any{object{"field": "agentCode"}}, "sort": []any{object{"field": "agentCode", "direction": hostile}}},
				"asOf":      {"columns": []any{object{"field": "agentCode"}}, "asOf": hostile},
				"limit":     {"columns": []any{object{"field": "agentCode"}}, "limit": hostile},
				"parameter": {"columns": []any{object{"field": "agentCode"}}, "parameters": []any{object{"name": hostile}}},
			} {
				if status, _, answer := sendTo(t, c, http.MethodPost, recipes, recipeBody("x", "agents", definition)); status != http.StatusBadRequest {
					t.Errorf("%q as %s: %d %s", hostile, place, status, answer)
				}
			}
			if strings.Contains(hostile, "\u0000") {
				continue // no text
			}
			for _, operator := range []string{"eq", "ne", "contains", "startsWith", "gt"} {
				id := createRecipe(t, c, recipeBody(fmt.Sprintf("%d %s", i, operator), "agents", object{
					"columns":    []any{object{"field": "agentCode", "label": hostile}},
					"filters":    []any{object{"field": "lastName", "operator": operator, "value": hostile}, object{"field": "agentCode", "operator": "ne", "value": object{"parameter": "p"}}},
					"parameters": []any{object{"name": "p", "type": "text"}},
				}))
				data, errs := runRecipe(t, c, id, fmt.Sprintf("tenantParameters: {p: %s}", jsonText(hostile)), "rows totalCount columns { label }")
				want := "0"
				if operator == "ne" || operator == "gt" && "Lee" > hostile {
					want = "1"
				}
				if errs != nil || fmt.Sprint(apptest.At(data, "reportRecipe.run.totalCount")) != want || apptest.At(data, "reportRecipe.run.columns.0.label") != strings.TrimSpace(hostile) {
					t.Errorf("%s %q: %v %+v; want %s rows", operator, hostile, data, errs, want)
				}
			}
		}
	})
}

func jsonText(s string) string {
	encoded, _ := json.Marshal(s)
	return string(encoded)
}
