package doors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// Whatever stands in a definition, it never gets into a statement: it is refused, or
// compared as a value.
func TestHostileDefinitions(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, readRecipes, writeRecipes, runReports, "read:agents", "write:agents")
		apptest.Register(t, c, "A1", nil)
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
