package rest

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/operations"
	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/resttest"
)

// documented reads the methods and paths of the tables in docs/spec.md, "Endpoints".
// A section belongs to the API that its title names, Agency Management otherwise.
func documented(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../docs/spec.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte("\n## Endpoints\n"))
	text, _, _ = bytes.Cut(text, []byte("\n## "))
	bases := map[string]string{"Agent Onboarding": "/agent-onboarding/{tenantIdentifier}", "Identity Management": "/identity-management/{tenantIdentifier}",
		"Webhooks": "/webhooks/{tenantIdentifier}", "Business Insights": ""}
	// Several methods may share a path: GET, POST /tags; GET/POST /tags.
	operation := regexp.MustCompile(`((?:(?:GET|POST|PUT|PATCH|DELETE)(?:, |/)?)+) (/[^ ,;|]+)`)
	found := map[string]bool{}
	base := ""
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(line, "### "); ok {
			if base, ok = bases[strings.TrimSpace(title)]; !ok {
				base = "/agency-management/{tenantIdentifier}"
			}
		}
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, m := range operation.FindAllStringSubmatch(cells[1]+"|"+cells[2], -1) {
			for method := range strings.SplitSeq(strings.ReplaceAll(m[1], ", ", "/"), "/") {
				found[method+" "+base+m[2]] = true
			}
		}
	}
	return found
}

// "Endpoints": every documented path is served, and nothing else is but the other paths
// of the table and the OpenAPI document.
func TestServesTheDocumentedPaths(t *testing.T) {
	want := documented(t)
	if len(want) != 84 {
		t.Errorf("docs/spec.md has %d operations, not 84", len(want))
	}
	for path := range resttest.PathScopes(t, sdl()) {
		want[path] = true
	}
	want["GET /openapi.json"], want["GET /openapi-3.0.json"] = true, true
	served := map[string]bool{}
	err := chi.Walk(newBench(t).Handler.(chi.Routes), func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		served[method+" "+strings.TrimSuffix(strings.ReplaceAll(path, "/*/", "/"), "/")] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if !served[path] {
			t.Errorf("%s is documented and not served", path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(served)) {
		if !want[path] {
			t.Errorf("%s is served and not documented", path)
		}
	}
}

// A stored operation that no row of the table names is a mistake.
func TestEveryStoredOperationIsServed(t *testing.T) {
	names, err := operations.Names()
	if err != nil || len(names) == 0 {
		t.Fatal(len(names), err)
	}
	served := map[string]bool{}
	for _, e := range allEndpoints(t) {
		served[e.route.Operation] = true
	}
	for _, name := range names {
		if !served[name] {
			t.Errorf("no path runs %s", name)
		}
	}
}

func TestUnknownPathIsNotFound(t *testing.T) {
	b := newBench(t)
	for _, path := range []string{"/nothing", "/agents/", "/agents/A1/nothing", ""} {
		if p := problemOf(t, b.call(http.MethodGet, path, "")); p.Status != 404 || p.Code != "NOT_FOUND" || p.Type != "/problems/not-found" {
			t.Errorf("%q: %+v", path, p)
		}
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/elsewhere", nil))
	if p := problemOf(t, w); p.Status != 404 {
		t.Errorf("%+v", p)
	}
}

func TestWrongMethodIsRefusedWithAllow(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ method, path, allow string }{
		{http.MethodPut, "/agents/A1", "GET, PATCH, DELETE, HEAD"},
		{http.MethodDelete, "/agents", "GET, POST, HEAD"},
		{http.MethodGet, "/certifications/7/history", "POST"},
		{http.MethodPost, "/certifications/history", "GET, PATCH, DELETE, HEAD"},
		{http.MethodOptions, "/pay-statuses/On%2FLeave", "GET, PATCH, DELETE, HEAD"},
	} {
		w := b.call(c.method, c.path, "")
		if p := problemOf(t, w); p.Status != 405 || w.Header().Get("Allow") != c.allow {
			t.Errorf("%s %s: %d, Allow %q", c.method, c.path, p.Status, w.Header().Get("Allow"))
		}
	}
}

func TestHeadIsServedAsGet(t *testing.T) {
	b := newBench(t)
	b.Data(`{"payStatuses":[]}`)
	if w := b.call(http.MethodHead, "/pay-statuses", ""); w.Code != 200 || b.Operation != "PayStatuses" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestTenantOfThePathIsCheckedBeforeAnythingElse(t *testing.T) {
	b := newBench(t)
	for _, path := range []string{"/agents", "/nothing", "/agents?pageSize=1000"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/agency-management/other"+path, nil)
		r.Header.Set("Api-Version", "1")
		b.ServeHTTP(w, r)
		if p := problemOf(t, w); p.Status != 403 || p.Code != "FORBIDDEN" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %+v", path, p)
		}
	}
	if b.Calls != 0 {
		t.Error("an operation ran")
	}
}

func TestRefusalCarriesItsChallenge(t *testing.T) {
	b := newBench(t, func(c *Config) {
		c.Authorize = refuseAll(&problem.Error{Status: 401, Code: problem.Unauthenticated, Message: "a bearer token is required", Challenge: `Bearer realm="upline"`})
	})
	w := b.call(http.MethodGet, "/agents", "")
	p := problemOf(t, w)
	if p.Status != 401 || p.Code != "UNAUTHENTICATED" || p.Message != "a bearer token is required" || w.Header().Get("WWW-Authenticate") != `Bearer realm="upline"` {
		t.Errorf("%+v %v", p, w.Header())
	}
}

func TestHeadersOfTenantResponses(t *testing.T) {
	b := newBench(t)
	b.Data(`{"payStatuses":[]}`)
	for _, path := range []string{"/pay-statuses", "/pay-statuses?pageSize=0", "/nothing"} {
		h := b.call(http.MethodGet, path, "").Header()
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "Trace-Id": "trace-1", "Api-Version": "2",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
	}
}

// "Agency Management | v2" (specification, Versioning).
func TestVersionSelection(t *testing.T) {
	b := newBench(t)
	b.Data(`{"payStatuses":[]}`)
	for _, c := range []struct {
		name, value string
		status      int
	}{
		{"Api-Version", "2", 200},
		{"Accept", "application/json; v=2", 200},
		{"Accept", "text/html, application/json", 200},
		{"Api-Version", "1", 400},
		{"Accept", "text/html, application/json; v=3", 400},
	} {
		w := b.call(http.MethodGet, "/pay-statuses", "", c.name, c.value)
		if w.Code != c.status {
			t.Errorf("%s: %s answered %d", c.name, c.value, w.Code)
		}
		if c.status == 400 && problemOf(t, w).Code != "UNSUPPORTED_API_VERSION" {
			t.Errorf("%s", w.Body)
		}
	}
}

// An operation that does not fit the schema is found when all endpoints are made, as the
// tests do; a server finds it with the first request for that path.
func TestInvalidOperationIsRefused(t *testing.T) {
	if _, err := newEndpoints(schemaWithout("agentDelete"), paths.All); err == nil || !strings.Contains(err.Error(), "agentDelete") {
		t.Errorf("error %v", err)
	}
}

// schemaWithout returns the schema without a mutation.
func schemaWithout(name string) *ast.Schema {
	schema := *sdl()
	mutation := *schema.Mutation
	mutation.Fields = slices.DeleteFunc(slices.Clone(mutation.Fields), func(f *ast.FieldDefinition) bool { return f.Name == name })
	schema.Types = maps.Clone(schema.Types)
	schema.Types["Mutation"], schema.Mutation = &mutation, &mutation
	return &schema
}

func refuseAll(err error) func(*http.Request, *string) (context.Context, error) {
	return func(*http.Request, *string) (context.Context, error) { return nil, err }
}
