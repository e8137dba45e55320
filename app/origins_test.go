package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/edge"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

const portal = "https://portal.example"

// preflight asks as a browser does before a page of an origin may send a request.
func preflight(w http.Handler, path, origin string) http.Header {
	r := httptest.NewRequest(http.MethodOptions, path, nil)
	r.Header.Set("Origin", origin)
	r.Header.Set("Access-Control-Request-Method", "PATCH")
	r.Header.Set("Access-Control-Request-Headers", "apollographql-client-name,authorization,if-match")
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	return answer.Header()
}

// Pages of the origins that were named may ask for what is there for programs, and no
// page for the pages of people; none gets credentials.
func TestOrigins(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{Origins: []string{portal}})
	forPrograms := []string{"/graphql/acme", "/agency-management/acme/agents", "/business-insights/report-recipes", "/webhooks/acme/subscriptions", "/exports/acme/1",
		"/openapi.json", "/oauth2/token", "/oauth2/revoke", "/oauth2/introspect", "/oauth2/userinfo", "/.well-known/jwks.json", "/.well-known/oauth-authorization-server"}
	for _, path := range forPrograms {
		if h := preflight(w, path, portal); h.Get("Access-Control-Allow-Origin") != portal || h.Get("Access-Control-Allow-Methods") != "PATCH" ||
			!strings.Contains(h.Get("Access-Control-Allow-Headers"), "if-match") || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %v", path, h)
		}
		for _, origin := range []string{"https://other.example", "http://portal.example", "https://portal.example.evil.example", "http://localhost:3000", "null"} {
			if h := preflight(w, path, origin); h.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: %s may ask: %v", path, origin, h)
			}
		}
	}
	for _, path := range []string{"/oauth2/authorize", "/oauth2/sign-in", "/oauth2/sign-out", "/oauth2/session", "/workbench/", "/playground/", "/healthz", "/metrics"} {
		if h := preflight(w, path, portal); h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: other origins may ask: %v", path, h)
		}
	}
}

// A page reads an answer, a refusal as well, with every header that the OpenAPI
// document describes.
func TestOriginsReadAnswers(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{Origins: []string{edge.AnyOrigin}})
	header := http.Header{"Origin": {portal}}
	answer := w.As(apptest.Acme).Send(t, http.MethodGet, "/openapi.json", header, nil)
	for _, path := range []string{"/agency-management/{tenant}/agents", "/graphql/{tenant}?query={viewer{subject}}", "/agency-management/{tenant}/agents?pageSize=0"} {
		if h := w.WithToken(apptest.Acme, "none").Send(t, http.MethodGet, path, header, nil).Header(); h.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("a refusal of %s cannot be read: %v", path, h)
		}
	}
	exposed := strings.Split(strings.ToLower(answer.Header().Get("Access-Control-Expose-Headers")), ", ")
	told := map[string]bool{}
	for _, name := range exposed {
		told[name] = true
	}
	described := 0
	for _, name := range responseHeaders(t, answer.Body.Bytes()) {
		if described++; !told[strings.ToLower(name)] {
			t.Errorf("%s is described and not exposed: %v", name, exposed)
		}
	}
	if described < 10 {
		t.Errorf("only %d headers are described", described)
	}
}

// responseHeaders are the names of the headers of all responses of a document.
func responseHeaders(t *testing.T, document []byte) (names []string) {
	t.Helper()
	var d struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct{ Headers map[string]any }
		}
	}
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range d.Paths {
		for _, operation := range path {
			for _, response := range operation.Responses {
				for name := range response.Headers {
					if !seen[name] {
						seen[name], names = true, append(names, name)
					}
				}
			}
		}
	}
	return names
}

// Nobody is admitted who was not named; of a server for development only this machine.
func TestOriginsByDefault(t *testing.T) {
	for development, admitted := range map[bool][]string{false: {}, true: {"http://localhost:3000", "http://127.0.0.1:5173", "https://[::1]:8443"}} {
		w := apptest.New(t, dbtest.SQLite(t), apptest.Options{Development: development})
		for _, origin := range []string{"http://localhost:3000", "http://127.0.0.1:5173", "https://[::1]:8443", "https://localhost.evil.example", "http://127.0.0.1.evil.example", portal} {
			want := ""
			for _, o := range admitted {
				if o == origin {
					want = o
				}
			}
			if got := preflight(w, "/graphql/acme", origin).Get("Access-Control-Allow-Origin"); got != want {
				t.Errorf("development %v: %s got %q", development, origin, got)
			}
		}
	}
}

func TestParseOrigins(t *testing.T) {
	for _, good := range []string{"*", portal, "http://localhost:3000", "https://[::1]:8443"} {
		if _, err := edge.ParseOrigins([]string{good}); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "portal.example", "https://portal.example/", "https://portal.example/app", "https://*.example", "ftp://portal.example", "https://", "https://Portal.example", "https://me@portal.example", "null"} {
		if _, err := edge.ParseOrigins([]string{portal, bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
