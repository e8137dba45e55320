package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/uplinehq/upline/graph/resolve"
	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/tenant"
)

func bareServer() http.Handler {
	s := New(Config{Resolver: &resolve.Resolver{}, Log: slog.New(slog.DiscardHandler), TraceID: func(context.Context) string { return "trace-1" }})
	h := s.Handler(transport.Config{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(tenant.With(r.Context(), &tenant.Tenant{ID: 1, DefaultPageSize: 50, MaxPageSize: 100})))
	})
}

func ask(t *testing.T, h http.Handler, header http.Header, request map[string]any) *httptest.ResponseRecorder {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(string(body)))
	r.Header = header.Clone()
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func hashed(query string, version any) map[string]any {
	sum := sha256.Sum256([]byte(query))
	return map[string]any{"persistedQuery": map[string]any{"version": version, "sha256Hash": hex.EncodeToString(sum[:])}}
}

// A query that was sent once with its hash is found by the hash; a wrong hash
// keeps nothing, and what is kept is bounded.
func TestPersistedQueries(t *testing.T) {
	h := bareServer()
	const query = `{ __typename }`
	expect := func(name string, request map[string]any, status int, want string) {
		t.Helper()
		if w := ask(t, h, http.Header{}, request); w.Code != status || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s, want %d %s", name, w.Code, w.Body, status, want)
		}
	}
	const data, unknown, refused = `"data":{"__typename":"Query"}`, `"code":"PERSISTED_QUERY_NOT_FOUND"`, `"code":"BAD_USER_INPUT"`
	expect("unknown", map[string]any{"extensions": hashed(query, 1)}, http.StatusOK, unknown)
	expect("the hash of another", map[string]any{"query": query, "extensions": hashed("{ other }", 1)}, http.StatusOK, refused)
	expect("still unknown", map[string]any{"extensions": hashed("{ other }", 1)}, http.StatusOK, unknown)
	expect("sent with its hash", map[string]any{"query": query, "extensions": hashed(query, 1)}, http.StatusOK, data)
	expect("found", map[string]any{"extensions": hashed(query, 1)}, http.StatusOK, data)
	expect("another version", map[string]any{"extensions": hashed(query, 2)}, http.StatusOK, refused)
	expect("no object", map[string]any{"extensions": map[string]any{"persistedQuery": "x"}}, http.StatusOK, refused)
	expect("null", map[string]any{"query": query, "extensions": map[string]any{"persistedQuery": nil}}, http.StatusOK, data)

	long := query + strings.Repeat(" ", longestKept)
	expect("long", map[string]any{"query": long, "extensions": hashed(long, 1)}, http.StatusOK, data)
	expect("too long to be kept", map[string]any{"extensions": hashed(long, 1)}, http.StatusOK, unknown)
	for n := range keptQueries {
		q := fmt.Sprintf("{ a%d: __typename }", n)
		if w := ask(t, h, http.Header{}, map[string]any{"query": q, "extensions": hashed(q, 1)}); w.Code != http.StatusOK {
			t.Fatal(w.Body)
		}
	}
	expect("no longer kept", map[string]any{"extensions": hashed(query, 1)}, http.StatusOK, unknown)
}

// A header that cannot be read is refused as everything is that GraphQL refuses,
// and its value is not repeated.
func TestUnreadableDateHeader(t *testing.T) {
	h := bareServer()
	for accept, mediaType := range map[string]string{"": "application/json", "application/graphql-response+json": "application/graphql-response+json"} {
		header := http.Header{"As-Of-Date": {"yesterday"}}
		if accept != "" {
			header.Set("Accept", accept)
		}
		w := ask(t, h, header, map[string]any{"query": "{ __typename }"})
		var got struct {
			Errors []struct {
				Message    string
				Extensions struct{ Code, TraceID string }
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got.Errors) != 1 {
			t.Fatalf("%v in %d %s", err, w.Code, w.Body)
		}
		e := got.Errors[0]
		if w.Code != http.StatusBadRequest || w.Header().Get("Content-Type") != mediaType+"; charset=utf-8" || e.Extensions.Code != "BAD_USER_INPUT" || e.Extensions.TraceID != "trace-1" ||
			!strings.Contains(e.Message, "As-Of-Date") || strings.Contains(e.Message, "yesterday") {
			t.Errorf("%d %s %s", w.Code, w.Header().Get("Content-Type"), w.Body)
		}
	}
}

// The server does not answer in parts: @defer is no directive of its schema, so
// that it is refused on every transport.
func TestDeferIsRefused(t *testing.T) {
	server := httptest.NewServer(bareServer())
	t.Cleanup(server.Close)
	const query = `{ ... @defer { __typename } }`
	const want = `"code":"GRAPHQL_VALIDATION_FAILED"`
	for _, accept := range []string{"application/json", "text/event-stream"} {
		if _, body := post(t, server.URL, accept, query); !strings.Contains(body, want) || strings.Contains(body, "data") {
			t.Errorf("%s: %s", accept, body)
		}
	}
	if got := overSocket(t, server.URL, query); !strings.Contains(got, want) || !strings.Contains(got, `"type":"error"`) {
		t.Errorf("over a WebSocket: %s", got)
	}
}
