package doors_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/page"
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
		acme.Query(t, `mutation($id: ID!) { reportRecipeDelete(input: {id: $id}) { applied } }`, object{"id": id})

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
				`roleUpdate(input: {name: "R", scopes: ["` + writeRecipes + `"]})`,
				`clientUpdate(input: {clientId: "acme.c", scopes: ["read:agents", "` + writeRecipes + `"]})`,
				`apiKeyCreate(input: {clientId: "acme.c", name: "k", scopes: ["` + writeRecipes + `"]})`,
			} {
				data := c.Query(t, "mutation { m: "+mutation+" { applied userErrors { code field } } }", nil)
				if apptest.At(data, "m.userErrors.0.code") == nil {
					t.Errorf("%s: %v", mutation, data)
				}
			}
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
