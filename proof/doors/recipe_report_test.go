package doors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

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
			apptest.Register(t, c, code, nil)
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
		apptest.Register(t, acme, "ACME2", nil)
		data, _ := runRecipe(t, acme, id, "first: 1", "pageInfo { endCursor hasNextPage }")
		cursor, _ := apptest.At(data, "reportRecipe.run.pageInfo.endCursor").(string)
		if data, _ = runRecipe(t, acme, id, fmt.Sprintf("first: 1, after: %q", cursor), "rows"); apptest.At(data, "reportRecipe.run.rows.0.agentCode") != "ACME2" {
			t.Errorf("the second page: %v", data)
		}
		if _, errs := runRecipe(t, acme, id, fmt.Sprintf(`after: %q, onDate: "2026-06-14"`, cursor), "rows"); len(errs) != 1 || errs[0].Extensions["reason"] != "INVALID_CURSOR" {
			t.Errorf("with other parameters: %+v", errs)
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
		apptest.Register(t, c, "A1", object{"startDate": "2026-01-01T00:00:00Z"})
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
