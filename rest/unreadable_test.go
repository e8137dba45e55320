package rest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/rest/paths"
)

// The header names properties as the answer has them: of the page that was cut out
// of a list, of an object that is written as its only member, and nothing that the
// answer does not show. It stays short.
func TestUnreadableFieldsAreNamed(t *testing.T) {
	endpoints, err := newEndpoints(sdl(), paths.All)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]*endpoint{}
	for _, e := range endpoints {
		at[e.route.Method+" "+e.route.Path] = e
	}
	path := func(steps ...any) (p ast.Path) {
		for _, step := range steps {
			switch s := step.(type) {
			case int:
				p = append(p, ast.PathIndex(s))
			case string:
				p = append(p, ast.PathName(s))
			}
		}
		return p
	}
	many := make([]ast.Path, mostUnreadable+3)
	for i := range many {
		many[i] = path("agents", "nodes", i, "gender")
	}
	first50 := ""
	for i := range mostUnreadable {
		first50 += fmt.Sprintf("items.%d.gender, ", i)
	}
	for _, c := range []struct {
		endpoint string
		page     window
		paths    []ast.Path
		want     string
	}{
		{"GET /agents", window{1, 50}, []ast.Path{path("agents", "nodes", 7, "w9", "w9", "taxClassification"), path("agents", "nodes", 8, "teams", "level", "value")}, "items.7.w9.taxClassification, items.8.teams.level"},
		{"GET /agents", window{2, 50}, []ast.Path{path("agents", "nodes", 0, "gender"), path("agents", "totalCount"), path("agents")}, "items.0.gender"},
		{"GET /agents", window{1, 100}, many, first50 + "+3"},
		{"GET /certification-types", window{2, 2}, []ast.Path{path("certificationTypes", 1, "category"), path("certificationTypes", 3, "category"), path("certificationTypes", 4, "category")}, "items.1.category"},
		{"GET /certifications/history", window{1, 50}, []ast.Path{path("certificationPeriods", "nodes", 1, "_", "note"), path("certificationPeriods", "nodes", 1, "status")}, "items.1.note, items.1.status"},
		{"GET /agents/{agentCode}", window{}, []ast.Path{path("agent", "directDeposit", "directDeposit", "country"), path("agent", "nowhere")}, "directDeposit.country"},
		{"PATCH /agents/{agentCode}", window{}, []ast.Path{path("agentUpdate", "_", "w9", "w9", "name"), path("agentUpdate", "userErrors", 0, "code")}, "w9.name"},
		{"GET /background-questions", window{}, []ast.Path{path("backgroundQuestions", 2, "responseType")}, "2.responseType"},
	} {
		e := at[c.endpoint]
		if e == nil {
			t.Fatalf("no endpoint %s", c.endpoint)
		}
		var errs gqlerror.List
		for _, p := range c.paths {
			errs = append(errs, &gqlerror.Error{Path: p})
		}
		header := http.Header{}
		e.nameUnreadable(header, errs, request{page: c.page})
		if got := header.Get(unreadableHeader); got != c.want || strings.Contains(got, "..") {
			t.Errorf("%s: %q; want %q", c.endpoint, got, c.want)
		}
	}
}
