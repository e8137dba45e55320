package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/transport"
)

// body is a decoded response.
type body struct {
	Errors []struct {
		Message    string
		Extensions map[string]any
	}
	Data       json.RawMessage
	Extensions map[string]any
}

func decode(t *testing.T, w *httptest.ResponseRecorder) body {
	t.Helper()
	var b body
	if err := json.Unmarshal(w.Body.Bytes(), &b); err != nil {
		t.Fatalf("%v in %s", err, w.Body)
	}
	return b
}

func newHandler(config transport.Config) (http.Handler, *executor.Executor, *schema) {
	s := newSchema()
	exec := executor.New(s)
	return transport.Handler(exec, config), exec, s
}

func TestRefusals(t *testing.T) {
	document := `{"query":"{ __typename }"}`
	tests := []struct {
		name, method, target, accept, contentType, body string
		header                                          http.Header
		status                                          int
		allow                                           string
	}{
		{name: "method", method: "PUT", contentType: mediaJSON, body: document, status: 405, allow: "GET, POST"},
		{name: "method, before the media type", method: "DELETE", accept: "text/html", status: 405, allow: "GET, POST"},
		{name: "mutation over GET", method: "GET", target: "/?query=mutation{touch}", status: 405, allow: "POST"},
		{name: "subscription over GET", method: "GET", target: "/?query=subscription{tick}", accept: mediaEvents, status: 405, allow: "POST"},
		{name: "accept", method: "POST", accept: "text/html", contentType: mediaJSON, body: document, status: 406},
		{name: "accept of another charset", method: "POST", accept: "application/json;charset=latin1", contentType: mediaJSON, body: document, status: 406},
		{name: "content type", method: "POST", contentType: "text/plain", body: document, status: 415},
		{name: "form", method: "POST", contentType: "application/x-www-form-urlencoded", body: "query={__typename}", status: 415},
		{name: "charset", method: "POST", contentType: "application/json; charset=iso-8859-1", body: document, status: 415},
		{name: "unknown charset", method: "POST", contentType: "application/json; charset=klingon", body: document, status: 415},
		{name: "compressed", method: "POST", contentType: mediaJSON, body: document, header: http.Header{"Content-Encoding": {"gzip"}}, status: 415},
		{name: "body over the limit", method: "POST", contentType: mediaJSON, body: `{"query":"{ __typename }"` + strings.Repeat(" ", 256) + `}`, status: 413},
		{name: "query string over the limit", method: "GET", target: "/?query=" + strings.Repeat("a", 256), status: 414},
		{name: "batch", method: "POST", contentType: mediaJSON, body: " [" + document + "]", status: 400},
		{name: "no object", method: "POST", contentType: mediaJSON, body: `"x"`, status: 400},
		{name: "null", method: "POST", contentType: mediaJSON, body: `null`, status: 400},
		{name: "two values", method: "POST", contentType: mediaJSON, body: document + document, status: 400},
		{name: "not UTF-8", method: "POST", contentType: mediaJSON, body: "{\"query\":\"{ __typename }\",\"operationName\":\"\xff\"}", status: 400},
		{name: "empty query", method: "POST", contentType: mediaJSON, body: `{"query":""}`, status: 400},
		{name: "no query over GET", method: "GET", target: "/", status: 400},
		{name: "malformed query string", method: "GET", target: "/?query=%zz", status: 400},
		{name: "variables over GET", method: "GET", target: "/?query={__typename}&variables=[1]", status: 400},
		{name: "extensions over GET", method: "GET", target: "/?query={__typename}&extensions=1", status: 400},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h, _, s := newHandler(transport.Config{MaxBody: 200, TraceID: func(context.Context) string { return "trace-1" }})
			r := httptest.NewRequest(test.method, "/", strings.NewReader(test.body))
			if test.target != "" {
				r.URL = mustURL(t, test.target)
			}
			for name, values := range test.header {
				r.Header[name] = values
			}
			r.Header.Set("Content-Type", test.contentType)
			if test.accept != "" {
				r.Header.Set("Accept", test.accept)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != test.status {
				t.Errorf("status = %d, want %d: %s", w.Code, test.status, w.Body)
			}
			if got := w.Header().Get("Allow"); got != test.allow {
				t.Errorf("Allow = %q, want %q", got, test.allow)
			}
			if s.ran.Load() != 0 {
				t.Error("the operation was executed")
			}
			b := decode(t, w)
			if len(b.Errors) != 1 || b.Errors[0].Extensions["code"] != "BAD_USER_INPUT" || b.Errors[0].Extensions["traceId"] != "trace-1" {
				t.Errorf("errors = %+v, want one BAD_USER_INPUT with the trace id", b.Errors)
			}
			if bytes.Contains(w.Body.Bytes(), []byte(`"data"`)) {
				t.Errorf("a refusal has data: %s", w.Body)
			}
		})
	}
}

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// The largest body is served; one byte more is not.
func TestBodyLimit(t *testing.T) {
	document := `{"query":"{ __typename }"}`
	for _, test := range []struct {
		limit  int64
		status int
	}{{int64(len(document)), 200}, {int64(len(document)) - 1, 413}} {
		h, _, _ := newHandler(transport.Config{MaxBody: test.limit})
		if w := request(h, "POST", "/", "", mediaJSON, document); w.Code != test.status {
			t.Errorf("limit %d: status = %d, want %d", test.limit, w.Code, test.status)
		}
	}
	h, _, _ := newHandler(transport.Config{})
	padded := document + strings.Repeat(" ", 256<<10-len(document))
	if w := request(h, "POST", "/", "", mediaJSON, padded); w.Code != 200 {
		t.Errorf("256 KiB: status = %d, want 200", w.Code)
	}
	if w := request(h, "POST", "/", "", mediaJSON, padded+" "); w.Code != 413 {
		t.Errorf("256 KiB and one byte: status = %d, want 413", w.Code)
	}
}

func TestNegotiation(t *testing.T) {
	tests := []struct{ accept, want string }{
		{"", mediaJSON},
		{"*/*", mediaJSON},
		{"application/*", mediaJSON},
		{"application/json", mediaJSON},
		{"application/json; charset=UTF-8", mediaJSON},
		{"application/graphql-response+json", mediaGraphQL},
		{"application/graphql-response+json; charset=utf-8, application/json; charset=utf-8", mediaGraphQL},
		{"application/json, application/graphql-response+json", mediaJSON},
		{"application/json;q=0.9, application/graphql-response+json", mediaGraphQL},
		{"application/graphql-response+json;q=0.5, application/json;q=0.9", mediaJSON},
		{"application/graphql-response+json, */*;q=0.1", mediaGraphQL},
		{"application/graphql-response+json, */*", mediaGraphQL},
		{"application/json;q=0, */*", mediaGraphQL},
		{"text/html, application/xhtml+xml, */*;q=0.8", mediaJSON},
		{"nonsense;;, application/json", mediaJSON},
		{"text/html", ""},
		{"application/json;q=0", ""},
		{"application/json;q=nan", ""},
	}
	h, _, _ := newHandler(transport.Config{})
	for _, test := range tests {
		w := request(h, "POST", "/", test.accept, mediaJSON, `{"query":"{ __typename }"}`)
		got := w.Header().Get("Content-Type")
		switch {
		case test.want == "" && w.Code != 406:
			t.Errorf("Accept %q: status = %d, want 406", test.accept, w.Code)
		case test.want != "" && (w.Code != 200 || got != test.want+"; charset=utf-8"):
			t.Errorf("Accept %q: %d %s, want %s", test.accept, w.Code, got, test.want)
		}
	}
}

// Every kind of outcome: its status under each media type, its code, and
// whether there is a data key.
func TestOutcomes(t *testing.T) {
	tests := []struct {
		name, body      string
		json, graphql   int
		code, data, msg string
	}{
		{"data", `{"query":"{ echo }"}`, 200, 200, "", `{"echo":"done"  }`, ""},
		{"mutation", `{"query":"mutation { touch }"}`, 200, 200, "", `{"touch":"done"  }`, ""},
		{"partial data", `{"query":"{ echo fails }"}`, 200, 200, "INTERNAL_SERVER_ERROR", `{"echo":"done"  ,"fails":null}`, "it failed"},
		{"null data", `{"query":"{ required }"}`, 200, 200, "INTERNAL_SERVER_ERROR", `null`, "it failed"},
		{"empty response", `{"query":"{ nothing }"}`, 200, 200, "", `null`, ""},
		{"unparsable", `{"query":"{"}`, 200, 400, "GRAPHQL_PARSE_FAILED", "", "Expected Name, found <EOF>"},
		{"invalid", `{"query":"{ unknown }"}`, 200, 400, "GRAPHQL_VALIDATION_FAILED", "", `Cannot query field "unknown" on type "Query".`},
		{"no operation", `{"query":"fragment F on Query { echo }"}`, 200, 400, "GRAPHQL_VALIDATION_FAILED", "", "no operation provided"},
		{"variable", `{"query":"query ($n: Int) { echo(count: $n) }","variables":{"n":"x"}}`, 200, 400, "BAD_USER_INPUT", "", "cannot use string as Int"},
		{"operation name", `{"query":"query A { echo }","operationName":"Secret"}`, 200, 400, "OPERATION_RESOLUTION_FAILURE", "", "the document has no operation of the name in operationName"},
		{"no operation name", `{"query":"query A { echo } query B { echo }"}`, 200, 400, "OPERATION_RESOLUTION_FAILURE", "", "the document has several operations: operationName must name one"},
		{"subscription", `{"query":"subscription { tick }"}`, 200, 400, "OPERATION_RESOLUTION_FAILURE", "", "a subscription needs Accept: text/event-stream, or a WebSocket"},
		{"deferred", `{"query":"{ later }"}`, 200, 400, "OPERATION_RESOLUTION_FAILURE", "", "this endpoint does not serve @defer"},
	}
	h, _, _ := newHandler(transport.Config{TraceID: func(context.Context) string { return "trace-1" }})
	for _, test := range tests {
		for accept, status := range map[string]int{mediaJSON: test.json, mediaGraphQL: test.graphql} {
			w := request(h, "POST", "/", accept, mediaJSON, test.body)
			if w.Code != status {
				t.Errorf("%s, %s: status = %d, want %d", test.name, accept, w.Code, status)
			}
			b := decode(t, w)
			if string(b.Data) != strings.TrimSpace(test.data) || bytes.Contains(w.Body.Bytes(), []byte(`"data"`)) != (test.data != "") {
				t.Errorf("%s, %s: data = %q, want %q in %s", test.name, accept, b.Data, test.data, w.Body)
			}
			if test.code == "" {
				if len(b.Errors) != 0 {
					t.Errorf("%s, %s: errors = %+v", test.name, accept, b.Errors)
				}
				continue
			}
			if len(b.Errors) != 1 || b.Errors[0].Extensions["code"] != test.code || b.Errors[0].Extensions["traceId"] != "trace-1" || b.Errors[0].Message != test.msg {
				t.Errorf("%s, %s: errors = %+v, want %s %q", test.name, accept, b.Errors, test.code, test.msg)
			}
		}
	}
}

// refuser is an extension that refuses every operation with one code.
type refuser struct{ code string }

func (refuser) ExtensionName() string                   { return "Refuser" }
func (refuser) Validate(graphql.ExecutableSchema) error { return nil }

func (r refuser) MutateOperationContext(context.Context, *graphql.OperationContext) *gqlerror.Error {
	e := gqlerror.Errorf("refused")
	if r.code != "" {
		e.Extensions = map[string]any{"code": r.code}
	}
	return e
}

// A code with a status of its own decides it under both media types; any other
// leaves it to the media type.
func TestStatusOfCodes(t *testing.T) {
	tests := map[string][2]int{ // under application/json, under the other
		"UNAUTHENTICATED":           {401, 401},
		"FORBIDDEN":                 {403, 403},
		"COST_LIMIT_EXCEEDED":       {400, 400},
		"RATE_LIMITED":              {429, 429},
		"PERSISTED_QUERY_NOT_FOUND": {200, 200},
		"TIMEOUT":                   {504, 504},
		"UNAVAILABLE":               {503, 503},
		"INTERNAL_SERVER_ERROR":     {500, 500},
		"GRAPHQL_VALIDATION_FAILED": {200, 400},
		"":                          {200, 400},
	}
	for code, want := range tests {
		h, exec, _ := newHandler(transport.Config{})
		exec.Use(refuser{code})
		for i, accept := range []string{mediaJSON, mediaGraphQL} {
			w := request(h, "POST", "/", accept, mediaJSON, `{"query":"{ echo }"}`)
			if w.Code != want[i] {
				t.Errorf("%s under %s: status = %d, want %d", code, accept, w.Code, want[i])
			}
			e := decode(t, w).Errors[0]
			if code == "" {
				code = "BAD_USER_INPUT"
			}
			if e.Extensions["code"] != code {
				t.Errorf("code = %v, want %s", e.Extensions["code"], code)
			}
			if _, has := e.Extensions["traceId"]; has {
				t.Error("an error has a trace id where there is no trace")
			}
		}
	}
}

func TestInterrupted(t *testing.T) {
	expired, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	cancelled, cancel2 := context.WithCancel(t.Context())
	cancel2()
	for want, ctx := range map[string]context.Context{"TIMEOUT": expired, "UNAVAILABLE": cancelled} {
		h, _, _ := newHandler(transport.Config{})
		r := httptest.NewRequest("GET", "/?query={echo}", nil).WithContext(ctx)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := decode(t, w).Errors[0].Extensions["code"]; got != want {
			t.Errorf("code = %v, want %s", got, want)
		}
	}
}

// Integers in variables are not rounded through floating point.
func TestLargeNumbers(t *testing.T) {
	h, exec, _ := newHandler(transport.Config{})
	var seen any
	exec.AroundOperations(func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		seen = graphql.GetOperationContext(ctx).Variables["id"]
		return next(ctx)
	})
	request(h, "POST", "/", "", mediaJSON, `{"query":"query ($id: ID) { echo(id: $id) }","variables":{"id":9007199254740993}}`)
	if seen != json.Number("9007199254740993") {
		t.Errorf("variable = %#v, want 9007199254740993", seen)
	}
}
