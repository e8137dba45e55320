package resttest

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

const document = `{
  "openapi": "3.1.0",
  "paths": {
    "/agents": {"post": {"responses": {
      "201": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Agent"}}}},
      "default": {"$ref": "#/components/responses/Problem"}}}},
    "/agents/history": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"type": "array"}}}}}}},
    "/agents/{agentCode}": {
      "get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Agent"}}}}}},
      "delete": {"responses": {"204": {"description": "Removed."}}}}
  },
  "components": {
    "schemas": {"Agent": {"type": "object", "required": ["agentCode"], "properties": {
      "agentCode": {"type": "string"}, "level": {"type": "integer"}, "createdAt": {"type": "string", "format": "date-time"}}}},
    "responses": {"Problem": {"content": {"application/problem+json": {"schema": {"type": "object", "required": ["status"], "properties": {"status": {"type": "integer"}, "code": {"type": "string"}}}}}}}
  }
}`

// server answers like a server of the document, to the token of scope write.
func server(t *testing.T) http.Handler {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, document) })
	mux.HandleFunc("POST /agents", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer write" {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(401)
			fmt.Fprint(w, `{"status":401,"code":"UNAUTHENTICATED"}`)
			return
		}
		if r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(415)
			return
		}
		w.Header().Set("Location", "/agents/A7")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(201)
		fmt.Fprint(w, `{"agentCode":"A7","level":10,"createdAt":"2026-01-31T12:00:00Z"}`)
	})
	mux.HandleFunc("GET /agents/{agentCode}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"agentCode":%q}`, r.PathValue("agentCode"))
	})
	mux.HandleFunc("GET /agents/history", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "[]")
	})
	mux.HandleFunc("DELETE /agents/{agentCode}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	return mux
}

func joined(scopes ...string) string { return strings.Join(scopes, " ") }

// scripted is the server with an action that counts.
func scripted(t *testing.T, days *int) Server {
	t.Helper()
	return Server{Handler: server(t), Token: joined, Actions: map[string]func(){"a day passes": func() { *days++ }}}
}

func TestRunReturnsTheOutcomes(t *testing.T) {
	days := 0
	outcomes := Run(t, "testdata", func(t *testing.T) Server { return scripted(t, &days) })
	want := map[string]Outcomes{"agents": {
		"POST /agents":               {"201": true, "401 UNAUTHENTICATED": true},
		"GET /agents/{agentCode}":    {"200": true},
		"DELETE /agents/{agentCode}": {"204": true},
	}}
	if !reflect.DeepEqual(outcomes, want) {
		t.Errorf("%v", outcomes)
	}
	if days != 1 {
		t.Errorf("%d days passed", days)
	}
}

func TestOperations(t *testing.T) {
	d, err := NewDocument([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	want := "DELETE /agents/{agentCode}, GET /agents/history, GET /agents/{agentCode}, POST /agents"
	if got := strings.Join(d.Operations(), ", "); got != want {
		t.Errorf("%s", got)
	}
}

// A transcript that does not hold fails, with the place and the reason.
func TestFailuresAreReported(t *testing.T) {
	const register = "=== Register\nPOST /agents\nScopes: write\n\n{}\n\n--- "
	for transcript, reason := range map[string]string{
		register + "200\n":                                                                          "line 1, Register: the status is 201, not 200",
		"\n" + register + "201\n":                                                                   "line 2, Register: the body is not empty",
		register + "201\nLocation: /agents/A8\n\n{\"...\":0}":                                       `the header Location is "/agents/A7", not "/agents/A8"`,
		register + "201\n\n{\"agentCode\":\"A7\",\"level\":10}":                                     ".createdAt is not expected",
		register + "201\n\n{\"agentCode\":\"A7\",\"level\":11,\"...\":0}":                           ".level is 10, not 11",
		register + "201\n\n{\"agentCode\":\"<date>\",\"...\":0}":                                    `.agentCode is "A7", which does not match "<date>"`,
		register + "201\n\n{\"name\":\"<any>\",\"...\":0}":                                          ".name is missing",
		register + "201\n\n{\"agentCode\":\"{{code}}\",\"...\":0}":                                  `nothing was kept as "code"`,
		"=== None\nPOST /agents\n\n{}\n\n--- 201\n":                                                 "the status is 401, not 201",
		"=== Undescribed\nPOST /agents\nScopes: write\nContent-Type: text/plain\n\n{}\n\n--- 415\n": "no schema",
		"=== No answer\nGET /agents\n":                                                              `no line with "--- "`,
		"GET /agents\n":                                                                             "text before the first title",
		"=== When\nGET /agents/A7\nBefore: a year passes\n\n--- 200\n":                              `there is no action "a year passes"`,
	} {
		server := scripted(t, new(int))
		document, err := Published(server.Handler)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := runOne(server, document, "", transcript); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v, not %q", transcript, err, reason)
		}
	}
}

// The document must describe every response.
func TestUndescribedResponsesAreReported(t *testing.T) {
	const found = "application/json"
	for _, c := range []struct {
		method, path string
		status       int
		contentType  string
		body         string
		operation    string
		ok           bool
	}{
		{"GET", "/agents/A7", 200, found, `{"agentCode":"A7"}`, "GET /agents/{agentCode}", true},
		{"GET", "/agents/history", 200, found, `[]`, "GET /agents/history", true},
		{"DELETE", "/agents/A7", 204, "", ``, "DELETE /agents/{agentCode}", true},
		{"POST", "/agents", 400, "application/problem+json", `{"status":400}`, "POST /agents", true},
		{"GET", "/elsewhere", 404, "application/problem+json", `{"status":404}`, "", true},
		{"GET", "/agents/A7", 200, found, `{"agentCode":"A7","secret":1}`, "GET /agents/{agentCode}", false},
		{"GET", "/agents/A7", 200, found, `{"agentCode":7}`, "GET /agents/{agentCode}", false},
		{"GET", "/agents/A7", 200, found, `{"agentCode":"A7","createdAt":"yesterday"}`, "GET /agents/{agentCode}", false},
		{"GET", "/agents/A7", 200, found, `{}`, "GET /agents/{agentCode}", false},
		{"GET", "/agents/A7", 202, found, `{"agentCode":"A7"}`, "GET /agents/{agentCode}", false},
		{"GET", "/agents/A7", 200, "text/plain", `{"agentCode":"A7"}`, "GET /agents/{agentCode}", false},
		{"DELETE", "/agents/A7", 204, found, `{}`, "DELETE /agents/{agentCode}", false},
		{"POST", "/agents", 400, "application/problem+json", `{}`, "POST /agents", false},
		{"GET", "/elsewhere", 200, found, `{}`, "", false},
		{"PUT", "/agents", 200, found, `{}`, "", false},
	} {
		d, err := NewDocument([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		operation, err := d.Check(c.method, c.path, c.status, c.contentType, []byte(c.body))
		if operation != c.operation || (err == nil) != c.ok {
			t.Errorf("%s %s %d %s: %q, %v", c.method, c.path, c.status, c.body, operation, err)
		}
	}
}

func TestMatchers(t *testing.T) {
	for _, c := range []struct {
		want, got string
		ok        bool
	}{
		{`"<any>"`, `null`, true},
		{`"<any>"`, `{"a":1}`, true},
		{`"<id>"`, `7`, true},
		{`"<id>"`, `"A 7"`, false},
		{`"<id>"`, `null`, false},
		{`"<text>"`, `""`, false},
		{`"<instant>"`, `"2026-01-31T12:00:00.5Z"`, true},
		{`"<instant>"`, `"2026-01-31T12:00:00+01:00"`, false},
		{`"<date>"`, `"2026-01-31"`, true},
		{`"on <date>."`, `"on 2026-01-31!"`, false},
		{`[1,"..."]`, `[1,2,3]`, true},
		{`["..."]`, `[]`, true},
		{`[1,"..."]`, `[2]`, false},
		{`[1]`, `[1,2]`, false},
		{`{"a":{"...":0}}`, `{"a":{"b":1}}`, true},
		{`{"a":null}`, `{}`, false},
		{`10`, `10.0`, false},
		{`true`, `"true"`, false},
	} {
		if err := (values{}).body(c.want, []byte(c.got)); (err == nil) != c.ok {
			t.Errorf("%s against %s: %v", c.want, c.got, err)
		}
	}
}
