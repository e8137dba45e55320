package doors_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// A recipe runs over REST as it does over GraphQL: of a saved query, too, whose pages
// have numbers there, and whose variables are texts.
func TestRecipesOverREST(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, readRecipes, writeRecipes, runReports, "read:agents", "write:agents")
		for i := range 5 {
			apptest.Register(t, c, fmt.Sprint("A", i), object{"lastName": []string{"=1", "'=1", "-5", `O"Neil, Ana`, "日本"}[i]})
		}
		saved := createRecipe(t, c, recipeBody("Q", "graphql", object{"connectionPath": "list", "columns": []any{object{"field": "agentCode"}, object{"field": "lastName", "label": "Name"}, object{"field": "payStatus.name"}},
			"graphql": `query($first: Int, $after: String, $status: [String!], $active: Boolean) { ...list } fragment list on Query { list: agents(first: $first, after: $after, filter: {payStatus: $status, isActive: $active}) {
				nodes { agentCode lastName payStatus { name } } pageInfo { hasNextPage endCursor } totalCount } }`}))
		dataset := createRecipe(t, c, recipeBody("D", "agents", object{"columns": []any{object{"field": "agentCode"}, object{"field": "lastName"}}, "sort": []any{object{"field": "agentCode"}},
			"filters":    []any{object{"field": "isActive", "operator": "eq", "value": object{"parameter": "active"}}},
			"parameters": []any{object{"name": "active", "type": "boolean"}}}))
		for _, id := range []string{saved, dataset} {
			for query, want := range map[string]string{
				"?pageSize=2":                          "5 A0 A1",
				"?pageSize=2&pageIndex=2":              "5 A2 A3",
				"?pageSize=2&pageIndex=3&active=true":  "5 A4",
				"?pageSize=2&pageIndex=9":              "5",
				"?active=false":                        "0",
				"?active=maybe":                        "400 active",
				"?colour=red":                          "400 colour",
				"?pageSize=2&pageIndex=2&active=false": "0",
			} {
				status, _, answer := sendTo(t, c, http.MethodGet, "/business-insights/{tenant}/report-recipes/"+id+"/rows"+query, nil)
				got := fmt.Sprint(status, " ", apptest.At(decoded(t, answer), "errors.0.field"))
				if status == http.StatusOK {
					got = fmt.Sprint(apptest.At(decoded(t, answer), "totalCount"))
					for _, row := range apptest.At(decoded(t, answer), "items").([]any) {
						got += " " + row.(object)["agentCode"].(string)
					}
				}
				if got != want {
					t.Errorf("%s is %s; want %s: %s", query, got, want, answer)
				}
			}
		}
		if _, _, answer := sendTo(t, c, http.MethodGet, "/business-insights/{tenant}/report-recipes/"+saved+"/rows?status=Active,Suspended&pageSize=1", nil); fmt.Sprint(apptest.At(decoded(t, answer), "totalCount")) != "5" {
			t.Errorf("a list: %s", answer)
		}
		answer := c.Send(t, http.MethodGet, "/business-insights/{tenant}/report-recipes/"+saved+"/rows", http.Header{"Accept": {"text/csv"}}, nil)
		want := "agentCode,lastName,payStatus.name\r\nA0,'=1,Active\r\nA1,''=1,Active\r\nA2,'-5,Active\r\nA3,\"O\"\"Neil, Ana\",Active\r\nA4,日本,Active\r\n"
		if answer.Body.String() != want || answer.Header().Get("Total-Count") != "5" {
			t.Errorf("as CSV it is %q with %v; want %q", answer.Body, answer.Header(), want)
		}
		for arguments, want := range map[string]string{
			`first: 2, offset: 3`:                      "A3",
			`offset: -1`:                               "OUT_OF_RANGE offset",
			`offset: 1, after: "x"`:                    "OUT_OF_RANGE offset",
			`parameterTexts: {active: 5}`:              "INVALID_FORMAT parameterTexts.active",
			`parameterTexts: {}, tenantParameters: {}`: "NOT_APPLICABLE parameterTexts",
		} {
			for _, id := range []string{saved, dataset} {
				data, errs := runRecipe(t, c, id, arguments, "rows")
				got, _ := apptest.At(data, "reportRecipe.run.rows.0.agentCode").(string)
				if errs != nil {
					got = strings.Trim(fmt.Sprint(errs[0].Extensions["reason"], " ", strings.Join(strings.Fields(strings.Trim(fmt.Sprint(errs[0].Extensions["field"]), "[]")), ".")), " ")
				}
				if got != want {
					t.Errorf("%s is %s; want %s: %+v", arguments, got, want, errs)
				}
			}
		}
	})
}
