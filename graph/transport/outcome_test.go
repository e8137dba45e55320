package transport_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/transport"
)

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
