package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

// doors are a request through each door. Both must come to the same decision.
var doors = map[string]func(t *testing.T, c *apptest.Caller) *httptest.ResponseRecorder{
	"graphql": func(t *testing.T, c *apptest.Caller) *httptest.ResponseRecorder {
		return c.Send(t, http.MethodPost, apptest.GraphQLPath, nil, []byte(`{"query": "{ agents { totalCount } }"}`))
	},
	"graphql by GET": func(t *testing.T, c *apptest.Caller) *httptest.ResponseRecorder {
		return c.Send(t, http.MethodGet, apptest.GraphQLPath+"?query="+url.QueryEscape("{ agents { totalCount } }"), nil, nil)
	},
	"rest": func(t *testing.T, c *apptest.Caller) *httptest.ResponseRecorder {
		return c.Send(t, http.MethodGet, "/agency-management/{tenant}/agents", nil, nil)
	},
}

// Missing, made-up and expired tokens are answered with 401 and a challenge;
// the wrong tenant, and a tenant that does not exist, with one and the same 403.
func TestAccess(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		ours := w.As(apptest.Acme)
		token := ours.Token(t)
		w.Clock.Move(-2 * time.Hour)
		old := ours.Token(t)
		w.Clock.Move(2 * time.Hour)
		for door, send := range doors {
			forbidden := map[string]string{}
			for _, test := range []struct {
				name   string
				caller *apptest.Caller
				status int
				as     string // tests with the same name here have the same answer
			}{
				{"a token of the tenant", ours, http.StatusOK, ""},
				{"no token", w.WithToken(apptest.Acme, "none"), http.StatusUnauthorized, ""},
				{"garbage", w.WithToken(apptest.Acme, "garbage"), http.StatusUnauthorized, ""},
				{"another signature", w.WithToken(apptest.Acme, token[:len(token)-8]+"AAAAAAAA"), http.StatusUnauthorized, ""},
				{"an expired token", w.WithToken(apptest.Acme, old), http.StatusUnauthorized, ""},
				{"no token for an unknown tenant", w.WithToken("nowhere", "none"), http.StatusUnauthorized, ""},
				{"another tenant's token", ours.In(apptest.Umbra), http.StatusForbidden, "not granted"},
				{"an unknown tenant", ours.In("nowhere"), http.StatusForbidden, "not granted"},
				{"a client of the platform without platform:tenants", w.AsPlatform(apptest.Acme, "read:agents"), http.StatusForbidden, "not granted"},
				{"the same for an unknown tenant", w.AsPlatform("nowhere", "read:agents"), http.StatusForbidden, "not granted"},
				{"a client of the platform", w.AsPlatform(apptest.Acme, "read:agents", "platform:tenants"), http.StatusOK, ""},
				{"in the other tenant", w.AsPlatform(apptest.Umbra, "read:agents", "platform:tenants"), http.StatusOK, ""},
				{"in an unknown tenant", w.AsPlatform("nowhere", "read:agents", "platform:tenants"), http.StatusForbidden, "not granted"},
			} {
				r := send(t, test.caller)
				if r.Code != test.status {
					t.Errorf("%s, %s: %d %s", door, test.name, r.Code, r.Body)
				}
				if challenge := r.Header().Get("WWW-Authenticate"); test.status == http.StatusUnauthorized && !strings.HasPrefix(challenge, "Bearer") {
					t.Errorf("%s, %s: challenge %q", door, test.name, challenge)
				}
				if body := r.Body.String(); test.status != http.StatusOK && (strings.Contains(body, "acme") || strings.Contains(body, "nowhere") || strings.Contains(body, "garbage")) {
					t.Errorf("%s, %s: the answer repeats the request: %s", door, test.name, body)
				}
				if test.as == "" {
					continue
				}
				answer := traceIDs.ReplaceAllString(r.Body.String(), "TRACE") + r.Header().Get("WWW-Authenticate")
				if first, ok := forbidden[test.as]; ok && first != answer {
					t.Errorf("%s, %s: told apart: %s, not %s", door, test.name, answer, first)
				}
				forbidden[test.as] = answer
			}
		}
	})
}

var traceIDs = regexp.MustCompile(`[0-9a-f]{32}`)

// A platform client holds in a tenant the scopes of its token and no others.
func TestPlatformClientIsBoundByItsScopes(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.AsPlatform(apptest.Acme, "read:agents", "platform:tenants")
		_, errs := c.GraphQL(t, `mutation { agentDelete(input: {agentCode: "A1"}) { applied } }`, nil)
		if len(errs) != 1 || errs[0].Code() != "FORBIDDEN" {
			t.Errorf("delete without delete:agents: %+v", errs)
		}
		if status, _, body := c.REST(t, http.MethodDelete, "/agents/A1", nil); status != http.StatusForbidden {
			t.Errorf("DELETE without delete:agents: %d %s", status, body)
		}
	})
}

// From the token endpoint to an agent that both doors read, and the other
// tenant does not.
func TestRoundTrip(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		status, header, body := c.REST(t, http.MethodPost, "/agents", map[string]any{"agentCode": "A1", "firstName": "Ana", "lastName": "Diaz", "status": "Active",
			"teams": map[string]any{"default": map[string]any{"level": 10}}, "initiator": "hr"})
		if status != http.StatusCreated || !strings.HasSuffix(header.Get("Location"), "/agency-management/acme/agents/A1") {
			t.Fatalf("POST /agents: %d %s %s", status, header.Get("Location"), body)
		}
		if got := apptest.At(c.Query(t, `{ agent(agentCode: "A1") { firstName createdBy } viewer { tenantIdentifier scopes } }`, nil), "agent.createdBy"); got != "hr" {
			t.Errorf("createdBy: %v", got)
		}
		var agent map[string]any
		if status, _, body = c.REST(t, http.MethodGet, "/agents/A1", nil); status != http.StatusOK || json.Unmarshal(body, &agent) != nil || agent["firstName"] != "Ana" {
			t.Errorf("GET /agents/A1: %d %s", status, body)
		}
		other := w.As(apptest.Umbra)
		if got := apptest.At(other.Query(t, `{ agent(agentCode: "A1") { firstName } }`, nil), "agent"); got != nil {
			t.Errorf("the other tenant sees %v", got)
		}
		if status, _, _ = other.REST(t, http.MethodGet, "/agents/A1", nil); status != http.StatusNotFound {
			t.Errorf("the other tenant: %d", status)
		}
	})
}

// The paths for the operator answer without a token, and tell nothing of
// tenants, agents or requests.
func TestOperatorsPaths(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 5)
		ours, nobody := w.As(apptest.Acme), w.WithToken("", "none")
		ours.REST(t, http.MethodGet, "/agents/A1000?secret=hunter2", nil)
		ours.Query(t, `{ agent(agentCode: "A1001") { firstName } }`, nil)
		nobody.Send(t, http.MethodGet, "/webhooks/acme/subscriptions", nil, nil)
		nobody.Send(t, http.MethodGet, "/no/such/path-hunter2", nil, nil)
		nobody.Send(t, "HUNTER2", "/agency-management/acme/agents", nil, nil)
		for path, status := range map[string]int{"/healthz": http.StatusNoContent, "/readyz": http.StatusNoContent, "/metrics": http.StatusNotFound, "/debug/pprof/": http.StatusNotFound,
			"/.well-known/oauth-authorization-server": http.StatusOK, "/openapi.json": http.StatusOK, "/openapi-3.0.json": http.StatusOK, "/docs/": http.StatusOK, "/playground": http.StatusOK, "/workbench": http.StatusOK} {
			r := nobody.Send(t, http.MethodGet, path, nil, nil)
			if r.Code/100 != status/100 && r.Code/100 != 3 {
				t.Errorf("%s: %d", path, r.Code)
			}
			body := strings.ToLower(r.Body.String())
			for _, told := range []string{"acme", "umbra", "hunter2", "a1001", "clientacme"} {
				if path == "/metrics" && strings.Contains(body, told) {
					t.Errorf("%s tells of %s", path, told)
				}
			}
		}
		metrics := w.Metrics()
		for _, counted := range []string{`{door="graphql",method="POST",status="200"}`, `{door="webhooks",method="GET",status="401"}`, `{door="other",method="GET",status="404"}`} {
			if !strings.Contains(metrics, "upline_http_request_duration_seconds_count"+counted) {
				t.Errorf("the metrics do not count requests as %s", counted)
			}
		}
		w.Store.Close()
		if r := nobody.Send(t, http.MethodGet, "/readyz", nil, nil); r.Code != http.StatusNoContent {
			t.Errorf("readyz asks the database at every request: %d", r.Code)
		}
		w.Clock.Move(time.Second)
		if r := nobody.Send(t, http.MethodGet, "/readyz", nil, nil); r.Code != http.StatusServiceUnavailable || r.Body.String() != "not ready\n" {
			t.Errorf("without a database: %d %s", r.Code, r.Body)
		}
		if r := nobody.Send(t, http.MethodGet, "/healthz", nil, nil); r.Code != http.StatusNoContent {
			t.Errorf("healthz: %d", r.Code)
		}
		for line := range strings.Lines(w.Logged()) {
			if strings.Contains(line, `"door":"readyz"`) && !strings.Contains(line, `"level":"DEBUG"`) {
				t.Errorf("a probe is no line at DEBUG: %s", line)
			}
		}
	})
}

// A request is one line of the log, which holds no query, body or token, and a
// caller's trace goes on in it.
func TestRequestLog(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		token := c.Token(t)
		const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
		header := http.Header{"Traceparent": {"00-" + trace + "-00f067aa0ba902b7-01"}}
		secrets := []string{"hunter2", token, strings.Split(token, ".")[2], "client_secret"}
		known := w.WithToken(apptest.Acme, token)
		known.Send(t, http.MethodGet, "/agency-management/{tenant}/agents?firstName=hunter2", header, nil)
		known.Send(t, http.MethodPost, apptest.GraphQLPath, header, []byte(`{"query": "{ agents(filter: {email: \"hunter2\"}) { totalCount } }"}`))
		known.Send(t, http.MethodPost, apptest.GraphQLPath, header, []byte(`{"query": "{ hunter2 }"}`))
		known.Send(t, http.MethodPost, apptest.GraphQLPath, header, []byte(`{"query": "hunter2`))
		known.Send(t, http.MethodPost, "/agency-management/{tenant}/agents", header, []byte(`{"hunter2": "hunter2"}`))
		known.Send(t, http.MethodGet, "/agency-management/{tenant}/agents/hunter2", header, nil)
		w.WithToken(apptest.Acme, "hunter2").Send(t, http.MethodGet, "/agency-management/{tenant}/agents", header, nil)
		log := w.Logged()
		if n := strings.Count(log, trace); n < 7 {
			t.Errorf("the trace stands in %d lines", n)
		}
		if !strings.Contains(log, `"door":"graphql","operation":"query agents","tenant":"acme"`) {
			t.Errorf("no line of a request: %s", log)
		}
		for _, secret := range secrets {
			if strings.Contains(log, secret) {
				t.Errorf("the log holds %s", secret)
			}
		}
		for _, line := range strings.Split(strings.TrimSpace(log), "\n") {
			var fields map[string]any
			if err := json.Unmarshal([]byte(line), &fields); err != nil {
				t.Errorf("not a line of JSON: %s", line)
			}
		}
	})
}
