package doors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// A saved query runs with the scopes and the tenant of the caller, and is paged by
// its connection.
func TestSavedQueries(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		all := []string{readRecipes, writeRecipes, runReports, "read:agents", "write:agents"}
		c := w.As(apptest.Acme, all...)
		for _, code := range []string{"A1", "A2", "A3"} {
			apptest.Register(t, c, code, object{"governmentIdentifier": "523-45-6781"})
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
			"a mutation":             saved(`mutation { tagDelete(input: {name: "x"}) { applied } }`, nil),
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
			"a cost above the limit": saved(`query($first: Int, $after: String) { agents`+page+` { nodes { code: agentCode governmentIdentifier payStatus { name } downline(first: 100) { nodes { certifications(first: 100) { nodes { status } } } } }`+rest+` } }`, nil),
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
