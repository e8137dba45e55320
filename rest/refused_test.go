package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"html/template"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/resttest"
)

func userErrors(root, list string) string {
	return `{"` + root + `":{"_":null,"applied":false,"userErrors":[` + list + `]}}`
}

// The type of a problem "SHOULD" lead to "human-readable documentation for the problem type"
// (RFC 9457, 3.1.1): every kind that there is does.
func TestProblemTypesLeadToAPage(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+ProblemPath+"{kind}", ProblemPage(sdl()))
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w
	}
	statuses := append(slices.Collect(maps.Keys(problemTypes)), http.StatusInternalServerError)
	for _, status := range statuses {
		p := asProblem(problem.List{problem.Refused(status, "x")})
		w := get(p.Type)
		words := cmp.Or(problemWords[status], otherWords[status])
		if w.Code != http.StatusOK || words == "" || !strings.Contains(w.Body.String(), template.HTMLEscapeString(words)) || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %s", p.Type, w.Code, w.Body)
		}
	}
	if w := get("/problems/validation"); !strings.Contains(w.Body.String(), "UNKNOWN_SORT_FIELD") {
		t.Errorf("no codes: %s", w.Body)
	}
	if w := get("/problems/nosuch"); w.Code != http.StatusNotFound {
		t.Errorf("another kind: %d", w.Code)
	}
}

// "400 validation failure; 403 forbidden; 404 resource missing; 409 duplicates"
// (specification, Errors).
func TestUserErrorsBecomeAProblem(t *testing.T) {
	b := newBench(t)
	for category, status := range map[string]int{"VALIDATION": 400, "FORBIDDEN": 403, "NOT_FOUND": 404, "CONFLICT": 409} {
		b.Data(userErrors("agentUpdate", `{"code":"AGENT_CODE_IN_USE","category":"`+category+`","message":"Another agent has this code","field":["input","email"],"details":null}`))
		p := problemOf(t, b.call(http.MethodPatch, "/agents/A1", onlyInitiator))
		if p.Status != status || p.Code != "AGENT_CODE_IN_USE" || p.Title != http.StatusText(status) || !slices.Equal(fields(p), []string{"email AGENT_CODE_IN_USE"}) {
			t.Errorf("%s: %+v", category, p)
		}
	}
}

// "Unknown certification type: 400 with the message The specified certification
// type is not recognized." (specification, Errors, 1).
func TestMessageOfAUserErrorIsThatOfTheBody(t *testing.T) {
	b := newBench(t)
	b.Data(userErrors("certificationUpsert", `{"code":"UNKNOWN_CERTIFICATION_TYPE","category":"VALIDATION","message":"The specified certification type is not recognized.","field":["input","type"],"details":null}`))
	w := b.call(http.MethodPost, "/certifications", minimalBodies["agency/certificationUpsert"])
	expect(t, w, 400, `{"type":"/problems/validation","title":"Bad Request","status":400,"code":"UNKNOWN_CERTIFICATION_TYPE",`+
		`"message":"The specified certification type is not recognized.","detail":"The specified certification type is not recognized.","traceId":"trace-1",`+
		`"errors":[{"field":"type","code":"UNKNOWN_CERTIFICATION_TYPE","message":"The specified certification type is not recognized."}]}`)
}

// The fields of a failure have their REST names.
func TestFieldsOfFailuresAreNamedAsInREST(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ method, path, body, root, field, want string }{
		{http.MethodPost, "/agents", registration, "agentRegister", `["input","teams","0","membership","level"]`, "teams.default.level"},
		{http.MethodPost, "/agents", registration, "agentRegister", `["input","teams","0","team"]`, "teams.default"},
		{http.MethodPost, "/agents", registration, "agentRegister", `["input","teams"]`, "teams"},
		{http.MethodPost, "/agents", registration, "agentRegister", `["input","teams","7","membership"]`, "teams"},
		{http.MethodPost, "/agents", registration, "agentRegister", `["input","homeAddress","jurisdiction"]`, "homeAddress.jurisdiction"},
		{http.MethodPost, "/agents", registration, "agentRegister", `null`, ""},
		{http.MethodPost, "/jurisdictions", minimalBodies["agency/jurisdictionCreate"], "jurisdictionCreate", `["input","code"]`, "id"},
		{http.MethodPatch, "/jurisdictions/US-TX", onlyInitiator, "jurisdictionUpdate", `["code"]`, "id"},
		{http.MethodDelete, "/jurisdictions/US-TX", "", "jurisdictionDelete", `["input","code"]`, "id"},
		{http.MethodPatch, "/agents/A1", onlyInitiator, "agentUpdate", `["input","agentCode"]`, "agentCode"},
		{http.MethodPatch, "/agents/A1", onlyInitiator, "agentUpdate", `["input"]`, ""},
		{http.MethodPost, "/certifications/7/history", minimalBodies["agency/certificationPeriodApply"], "certificationPeriodApply", `["input","certificationId"]`, "id"},
		{http.MethodPost, "/certifications/7/history", minimalBodies["agency/certificationPeriodApply"], "certificationPeriodApply", `["certificationId"]`, "id"},
		{http.MethodPatch, "/teams/default/members/A1", minimalBodies["agency/agentMembershipUpdate"], "agentMembershipUpdate", `["input","membership","directUpline"]`, "membership.directUpline"},
	} {
		b.Data(userErrors(c.root, `{"code":"INVALID_FORMAT","category":"VALIDATION","message":"is wrong","field":`+c.field+`,"details":null}`))
		p := problemOf(t, b.call(c.method, c.path, c.body))
		if p.Errors[0].Field != c.want || p.Message != strings.TrimSpace(c.want+" is wrong") {
			t.Errorf("%s: %q, %s", c.field, p.Errors[0].Field, p.Message)
		}
	}
}

// "A reference value that is still in use generally cannot be deleted"
// (specification, Reference data): the details say where it is used.
func TestDetailsOfAFailure(t *testing.T) {
	b := newBench(t)
	b.Data(userErrors("payStatusDelete", `{"code":"REFERENCE_IN_USE","category":"CONFLICT","message":"The record is still referred to","field":null,"details":{"usage":{"agents":3}}}`))
	p := problemOf(t, b.call(http.MethodDelete, "/pay-statuses/Active", ""))
	if usage, _ := p.Details["usage"].(map[string]any); p.Status != 409 || usage["agents"] != 3.0 {
		t.Errorf("%+v", p)
	}
}

func gqlError(message string, extensions map[string]any) *gqlerror.Error {
	return &gqlerror.Error{Message: message, Extensions: extensions}
}

func TestTopLevelErrorsBecomeAStatus(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		code      string
		status    int
		challenge string
	}{
		{"UNAUTHENTICATED", 401, ""},
		{"FORBIDDEN", 403, `Bearer realm="upline", error="insufficient_scope", scope="read:agents"`},
		{"RATE_LIMITED", 429, ""},
		{"UNAVAILABLE", 503, ""},
		{"TIMEOUT", 504, ""},
	} {
		refused := problem.Refused(c.status, "as it was refused")
		refused.Scope, refused.RetryAfter = "read:agents", 7
		b.Errors(refusal.Error(refused))
		w := b.call(http.MethodGet, "/agents", "")
		if p := problemOf(t, w); p.Status != c.status || p.Code != c.code || p.Message != refused.Message || p.Errors != nil ||
			w.Header().Get("WWW-Authenticate") != c.challenge || w.Header().Get("Retry-After") != "7" {
			t.Errorf("%s: %+v, %v", c.code, p, w.Header())
		}
	}
}

// What is wrong with the server is logged and not told.
func TestFaultsOfTheServerAreGeneric(t *testing.T) {
	for name, arrange := range map[string]func(*bench){
		"error":         func(b *bench) { b.Errors(gqlError("secret", map[string]any{"code": "INTERNAL_SERVER_ERROR"})) },
		"error without": func(b *bench) { b.Errors(gqlError("secret", nil)) },
		"partial": func(b *bench) {
			b.Errors(gqlError("a", map[string]any{"code": "BAD_USER_INPUT"}), gqlError("secret", nil))
		},
		"broken":         func(b *bench) { b.Data(`{"agents":{"nodes":[{"secret":`) },
		"without fields": func(b *bench) { b.Data(`{"agents":{}}`) },
		"without root":   func(b *bench) { b.Data(`{}`) },
	} {
		b := newBench(t)
		arrange(b)
		w := b.call(http.MethodGet, "/agents", "")
		p := problemOf(t, w)
		if p.Status != 500 || p.Code != "INTERNAL_SERVER_ERROR" || p.TraceID != "trace-1" || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %s", name, w.Body)
		}
		document, err := resttest.NewDocument(published(t, b))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := document.Check(http.MethodGet, base+"/agents", w.Code, w.Header().Get("Content-Type"), w.Body.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(b.logged.String(), "level=ERROR") {
			t.Errorf("%s: nothing was logged", name)
		}
	}
}

func TestFailureToAuthorizeIsAFaultOfTheServer(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Authorize = refuseAll(errors.New("no keys")) })
	w := b.call(http.MethodGet, "/agents", "")
	if p := problemOf(t, w); p.Status != 500 || strings.Contains(w.Body.String(), "no keys") || !strings.Contains(b.logged.String(), "no keys") {
		t.Errorf("%s", w.Body)
	}
}

// A record that another request deleted before it was read is not found, whether this one
// changed it or not.
func TestRecordIsGone(t *testing.T) {
	b := newBench(t)
	for _, applied := range []string{"true", "false"} {
		b.Data(`{"agentUpdate":{"_":null,"applied":` + applied + `,"userErrors":[]}}`)
		if p := problemOf(t, b.call(http.MethodPatch, "/agents/A1", onlyInitiator)); p.Status != 404 {
			t.Errorf("applied: %s: %+v", applied, p)
		}
	}
}

// What the executor refuses of the input has the same body as what the door
// refuses.
func TestBadUserInputBecomesAProblem(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		field []string
		want  string
	}{
		{[]string{"filter", "agentCodes"}, "agentCodes"},
		{[]string{"first"}, "pageSize"},
		{[]string{"offset"}, "pageIndex"},
		{[]string{"orderBy", "0", "field"}, "sort"},
		{[]string{"onDate"}, "onDate"},
		{nil, ""},
	} {
		b.Errors(refusal.Error(problem.Invalid(problem.OutOfRange, "At most 100", c.field...).With("max", 100)))
		p := problemOf(t, b.call(http.MethodGet, "/agents", ""))
		if p.Status != 400 || p.Code != "OUT_OF_RANGE" || p.Message != "At most 100" || p.Errors[0].Field != c.want || p.Details["max"] != 100.0 {
			t.Errorf("%v: %+v", c.field, p)
		}
	}
	b.Errors(refusal.Error(&problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode, Message: "The agency masks this value", Field: []string{"team"}}))
	if p := problemOf(t, b.call(http.MethodGet, "/agents", "")); p.Status != 403 || p.Code != "FORBIDDEN" || len(p.Errors) != 1 || p.Errors[0].Field != "team" {
		t.Errorf("a problem that is forbidden: %+v", p)
	}
	b.Errors(refusal.Error(problem.Missing(problem.UnknownTeam, "There is no such team", "team")))
	if p := problemOf(t, b.call(http.MethodGet, "/teams/other/upline-members", "")); p.Status != 404 || p.Code != "UNKNOWN_TEAM" || p.Errors[0].Field != "team" {
		t.Errorf("%+v", p)
	}
}

func TestNoResponse(t *testing.T) {
	b := newBench(t)
	left, leave := context.WithCancel(t.Context())
	leave()
	ended, cancel := context.WithTimeout(t.Context(), -1)
	defer cancel()
	for _, c := range []struct {
		ctx    context.Context
		status int
	}{{left, 503}, {ended, 504}, {t.Context(), 504}} {
		w := httptest.NewRecorder()
		b.ServeHTTP(w, httptest.NewRequestWithContext(c.ctx, http.MethodGet, base+"/agents", nil))
		if p := problemOf(t, w); p.Status != c.status {
			t.Errorf("%v: %+v", c.ctx.Err(), p)
		}
	}
}

// The body of a problem has no empty members besides those RFC 9457 asks for.
func TestProblemBody(t *testing.T) {
	b := newBench(t, func(c *Config) { c.TraceID = nil })
	b.Data(`{"agent":null}`)
	var body map[string]any
	if err := json.Unmarshal(b.call(http.MethodGet, "/agents/A9", "").Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if _, ok := body["traceId"]; ok || len(body) != 7 {
		t.Errorf("%v", body)
	}
}

// Who is told that the server is not available is told when to come again, too.
func TestUnavailableSaysWhen(t *testing.T) {
	for seconds, want := range map[int]string{0: "1", 5: "5"} {
		w := httptest.NewRecorder()
		away := problem.Refused(http.StatusServiceUnavailable, "The keys are not available")
		away.RetryAfter = seconds
		if Refuse(w, away, ""); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != want {
			t.Errorf("%d with Retry-After %q, want %s", w.Code, w.Header().Get("Retry-After"), want)
		}
	}
}
