package doors_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/insights/recipe"
)

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
	if dataset == "webhookDeliveries" || dataset == "commissionPayments" { // whose scopes the caller has not
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
	if len(codes) == 0 && !(dataset == "salesAuthorizations" && day == `onDate: "2026-06-05"`) { // nobody had a pay status yet
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
