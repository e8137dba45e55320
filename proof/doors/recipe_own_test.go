package doors_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/tenant"
)

const writeOwnRecipes = "write:recipes"

// saveOwn makes a recipe of the caller's agency and returns its id.
func saveOwn(t *testing.T, c *apptest.Caller, name string) string {
	t.Helper()
	data := c.Query(t, `mutation($in: AgencyRecipeCreateInput!) { m: agencyRecipeCreate(input: $in) { applied reportRecipe { id isShared createdBy } userErrors { message } } }`, object{"in": recipeBody(name, "agents", agentCodes)})
	id, _ := apptest.At(data, "m.reportRecipe.id").(string)
	if by, _ := apptest.At(data, "m.reportRecipe.createdBy").(string); id == "" || apptest.At(data, "m.reportRecipe.isShared") != false || !strings.HasPrefix(by, "client") {
		t.Fatalf("%v", data)
	}
	return id
}

// namesOf are the recipes in a list, as a caller sees it.
func namesOf(t *testing.T, c *apptest.Caller, list string) (names []string) {
	t.Helper()
	data := c.Query(t, "{ list: "+list+" { nodes { name } } }", nil)
	for _, node := range apptest.At(data, "list.nodes").([]any) {
		names = append(names, apptest.At(node, "name").(string))
	}
	return names
}

// What an agency writes for itself no other sees, runs, changes or removes, and it
// stands in no list of what all share.
func TestRecipesOfAnAgency(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		scopes := []string{readRecipes, writeOwnRecipes, runReports, "read:agents", "write:agents"}
		acme, umbra := w.As(apptest.Acme, scopes...), w.As(apptest.Umbra, scopes...)
		shared := createRecipe(t, w.AsPlatform("", readRecipes, writeRecipes), recipeBody("Everybody", "agents", agentCodes))
		id, theirs := saveOwn(t, acme, "Mine"), saveOwn(t, umbra, "Mine")
		apptest.Register(t, acme, "ACME1", nil)
		for c, own := range map[*apptest.Caller]string{acme: id, umbra: theirs} {
			if got := namesOf(t, c, "agencyRecipes"); !slices.Equal(got, []string{"Mine"}) {
				t.Errorf("own recipes: %q", got)
			}
			if got := namesOf(t, c, "reportRecipes"); !slices.Equal(got, []string{"Everybody"}) {
				t.Errorf("shared recipes: %q", got)
			}
			for _, one := range []string{own, shared} {
				if data, errs := runRecipe(t, c, strings.ToUpper(one), "", "totalCount"); errs != nil {
					t.Errorf("%v %+v", data, errs)
				}
			}
		}
		if status, _, answer := sendTo(t, acme, http.MethodGet, "/business-insights/acme/report-recipes/"+id+"/rows", nil); status != http.StatusOK || !strings.Contains(string(answer), "ACME1") {
			t.Errorf("rows over REST: %d %s", status, answer)
		}
		all := w.As(apptest.Umbra, allScopes...)
		for _, path := range []string{recipes + "/" + id, "/business-insights/umbra/report-recipes/" + id + "/rows"} {
			if status, _, answer := sendTo(t, all, http.MethodGet, path, nil); status != http.StatusNotFound {
				t.Errorf("%s: %d %s", path, status, answer)
			}
		}
		for _, mutation := range []string{"agencyRecipeReplace", "reportRecipeReplace"} {
			taken := recipeBody("Taken", "agents", agentCodes)
			taken["id"] = id
			data := all.Query(t, "mutation($in: "+strings.ToUpper(mutation[:1])+mutation[1:]+"Input!) { m: "+mutation+"(input: $in) { applied userErrors { code } } }", object{"in": taken})
			if apptest.At(data, "m.userErrors.0.code") != "NOT_FOUND" {
				t.Errorf("%s: %v", mutation, data)
			}
		}
		// Not even who may change what all share changes it that way.
		for c, mutations := range map[*apptest.Caller][]string{all: {"agencyRecipeDelete", "reportRecipeDelete"}, w.As(apptest.Acme, allScopes...): {"reportRecipeDelete"}} {
			for _, mutation := range mutations {
				data := c.Query(t, fmt.Sprintf("mutation { m: %s(input: {id: %q}) { applied userErrors { code } } }", mutation, id), nil)
				if apptest.At(data, "m.userErrors.0.code") != "NOT_FOUND" {
					t.Errorf("%s: %v", mutation, data)
				}
			}
		}
		if data := acme.Query(t, fmt.Sprintf("mutation { m: agencyRecipeDelete(input: {id: %q}) { applied } }", shared), nil); apptest.At(data, "m.applied") != false {
			t.Errorf("an agency deleted what all share: %v", data)
		}
		if got := namesOf(t, acme, "agencyRecipes"); !slices.Equal(got, []string{"Mine"}) {
			t.Errorf("at the end: %q", got)
		}
	})
}

// Administrators, managers and analysts write recipes of the agency; the platform has
// none, and whoever sees a downline only writes none.
func TestWhoWritesRecipesOfAnAgency(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		apptest.Register(t, w.As(apptest.Acme, "write:agents"), "A1", nil)
		const create = `mutation($in: AgencyRecipeCreateInput!) { m: agencyRecipeCreate(input: $in) { applied userErrors { code field } } }`
		for role, may := range map[string]bool{"Administrator": true, "Manager": true, "Analyst": true, "Recruiter": false, "Agent": false} {
			c := w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, strings.ToLower(role), "A1", role))
			data, errs := c.GraphQL(t, create, object{"in": recipeBody("Of the "+role, "agents", agentCodes)})
			if (apptest.At(data, "m.applied") == true) != may || (len(errs) == 1 && errs[0].Code() == "FORBIDDEN") == may {
				t.Errorf("%s: %v %+v", role, data, errs)
			}
		}
		admin := w.As(apptest.Acme, allScopes...)
		made := admin.Query(t, `mutation { m: roleCreate(input: {name: "Writer", scopes: ["read:agents", "write:recipes", "`+readRecipes+`"], limitedToDownline: true}) { applied } }`, nil)
		limited := w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, "limited", "A1", "Writer"))
		if _, errs := limited.GraphQL(t, create, object{"in": recipeBody("Limited", "agents", agentCodes)}); apptest.At(made, "m.applied") != true || len(errs) != 1 || errs[0].Code() != "FORBIDDEN" {
			t.Errorf("a limited user: %v %+v", made, errs)
		}
		data := admin.Query(t, create, object{"in": recipeBody("OF THE ANALYST", "agents", agentCodes)})
		if apptest.At(data, "m.userErrors.0.code") != "DUPLICATE_KEY" {
			t.Errorf("the same name: %v", data)
		}
	})
}

// Changes of an agency's own recipes are in its trail, and not in the platform's.
func TestOwnRecipeChangesAreAudited(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, readRecipes, writeOwnRecipes)
		id := saveOwn(t, c, "A")
		replace := func(input object) any {
			t.Helper()
			input["id"] = id
			return apptest.At(c.Query(t, `mutation($in: AgencyRecipeReplaceInput!) { m: agencyRecipeReplace(input: $in) { applied reportRecipe { name description version } } }`, object{"in": input}), "m")
		}
		described := recipeBody("B", "agents", agentCodes)
		described["description"] = "What for"
		replace(recipeBody("A", "agents", agentCodes)) // nothing changes
		if got := fmt.Sprint(replace(described)); got != "map[applied:true reportRecipe:map[description:What for name:B version:2]]" {
			t.Error(got)
		}
		if got := fmt.Sprint(replace(recipeBody("B", "agents", agentCodes))); got != "map[applied:true reportRecipe:map[description:<nil> name:B version:3]]" {
			t.Error(got)
		}
		c.Query(t, `mutation($id: ID!) { agencyRecipeDelete(input: {id: $id}) { applied } }`, object{"id": id})
		for of, want := range map[*tenant.Tenant][]string{w.Tenants[apptest.Acme]: {
			"agencyRecipeCreate ReportRecipe " + id + " dataset definition description name",
			"agencyRecipeReplace ReportRecipe " + id + " description name",
			"agencyRecipeReplace ReportRecipe " + id + " description",
			"agencyRecipeDelete ReportRecipe " + id + " ",
		}, tenant.Platform: nil} {
			got, err := auditRows(t, w, of)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q %v; want\n%q", got, err, want)
			}
		}
	})
}
