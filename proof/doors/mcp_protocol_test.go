package doors_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// post sends a body to the door of assistants.
func post(t *testing.T, w *apptest.World, c *apptest.Caller, query, body string, header http.Header) (int, object) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp/"+apptest.Acme+query, strings.NewReader(body))
	r.Header = http.Header{"Authorization": {"Bearer " + c.Token(t)}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	for name, values := range header {
		r.Header[name] = values
	}
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	return answer.Code, decoded(t, answer.Body.Bytes()).(object)
}

// goType is how the program speaks of its own types.
var goType = regexp.MustCompile(`\*?\w+\.[A-Z]\w+|Go value|map\[|unmarshal`)

// "When a rpc call encounters an error, the Response Object MUST contain the error member";
// its id "MUST be the same as the value of the id member in the Request Object. If there
// was an error in detecting the id ... it MUST be Null" (JSON-RPC 2.0, 5).
func TestErrorsOfTheProtocol(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.WithToken(apptest.Acme, w.As(apptest.Acme, "read:agents").Token(t))
		for body, want := range map[string]string{
			`{"jsonrpc":"2.0","id":7,"method":"nosuch"}`:                                                          "400 -32601 7",
			`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 900) + `","method":"tools/call","params":{"name":5}}`: "200 -32602 " + strings.Repeat("x", 900),
			`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":5}`:                                         "400 -32602 a",
			`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"nosuch"}}`:                         "200 -32602 a",
			`{"jsonrpc":"2.0","id":"a","method":"tools/call"}`:                                                    "400 -32600 a",
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`:                       "200 -32602 1",
			`{"jsonrpc":"1.0","id":"a","method":"ping"}`:                                                          "400 -32600 a",
			`{"jsonrpc":"2.0","id":"a","method":5}`:                                                               "400 -32600 a",
			`{"jsonrpc":"2.0","id":{},"method":"ping"}`:                                                           "400 -32600 <nil>",
			`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:                                                          "400 -32600 1.5",
			`{"jsonrpc":"2.0","method":"ping"}`:                                                                   "400 -32600 <nil>",
			`{"jsonrpc":"2.0","id":3`:                                                                             "400 -32700 <nil>",
			`[{"jsonrpc":"2.0","id":3,"method":"ping"}]`:                                                          "400 -32600 <nil>",
			"5":                  "400 -32600 <nil>",
			"":                   "400 -32700 <nil>",
			"{\"id\": \"\xff\"}": "400 -32600 \ufffd",
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"` + strings.Repeat("x", 2<<20) + `"}`: "413 -32600 <nil>",
		} {
			status, answer := post(t, w, c, "", body, nil)
			got := fmt.Sprintf("%d %v %v", status, apptest.At(answer, "error.code"), answer["id"])
			if text := fmt.Sprint(apptest.At(answer, "error.message")); got != want || text == "" || goType.MatchString(text) {
				t.Errorf("%.80s: %s %q; want %s", body, got, text, want)
			}
		}
	})
}

// The newest revision, 2026-07-28, is what a client and this server agree on; one that asks
// for an older revision gets that, and one that asks for none that there is the newest that
// begins with initialize ("the server MUST respond with another protocol version it
// supports", Lifecycle). In the newest a request says the revision itself, and has no
// session.
func TestRevisionsOfTheProtocol(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	c := w.As(apptest.Acme, "read:agents")
	session, err := connect(t, w, c, "")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if got := session.InitializeResult().ProtocolVersion; got != "2026-07-28" {
		t.Errorf("the SDK's client and the server agree on %s", got)
	}
	for asked, want := range map[string]string{"2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2024-11-05": "2024-11-05", "1999-01-01": "2025-11-25", "2026-07-28": "2025-11-25"} {
		status, answer := post(t, w, c, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+asked+`","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, nil)
		if got := apptest.At(answer, "result.protocolVersion"); status != http.StatusOK || got != want {
			t.Errorf("%s: %d %v", asked, status, answer)
		}
	}
	ask := func(header, meta string) (int, object) {
		return post(t, w, c, "", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"`+meta+`","io.modelcontextprotocol/clientCapabilities":{}}}}`,
			http.Header{"Mcp-Protocol-Version": {header}, "Mcp-Method": {"server/discover"}})
	}
	status, answer := ask("2026-07-28", "2026-07-28")
	if versions := fmt.Sprint(apptest.At(answer, "result.supportedVersions")); status != http.StatusOK || !strings.Contains(versions, "2026-07-28") {
		t.Errorf("server/discover: %d %v", status, answer)
	}
	for _, wrong := range [][2]string{{"1999-01-01", "2026-07-28"}, {"2026-07-28", "2025-11-25"}, {"2026-07-28", "2999-01-01"}} {
		if status, answer := ask(wrong[0], wrong[1]); status != http.StatusBadRequest {
			t.Errorf("%v: %d %v", wrong, status, answer)
		}
	}
}

// "Servers MUST validate the Origin header on all incoming connections" (Model Context
// Protocol, Transports): no page but the server's own and those that it admits gets in.
func TestOriginsOfAssistants(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	c := w.As(apptest.Acme, "read:agents")
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for origin, want := range map[string]int{"": 200, apptest.Issuer: 200, "https://elsewhere.example": 403, "null": 403} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		if status, answer := post(t, w, c, "", ping, header); status != want {
			t.Errorf("from %q: %d %v", origin, status, answer)
		}
	}
}

// Without asking, an assistant is offered what reads the agency; with a purpose, what
// serves that. Nobody else may keep the list, since it is the caller's.
func TestToolsForAPurpose(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	c := w.As(apptest.Acme, allScopes...)
	list := func(query string) []any {
		_, answer := post(t, w, c, query, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil)
		if scope := apptest.At(answer, "result.cacheScope"); scope != "private" {
			t.Errorf("%s: may be kept by %v", query, scope)
		}
		return apptest.Each(answer, "result.tools", "name")
	}
	for query, want := range map[string]struct{ some, none string }{
		"":                                    {"agents insight insightQueries graphql downlineMembers", "users agentUpdate previewLevelPeriodApply tagCreate applications webhookSubscriptions"},
		"?tools=changes":                      {"agentUpdate previewLevelPeriodApply graphql", "agents tagCreate"},
		"?tools=reference-data,changes":       {"tagCreate agentUpdate", "agents userCreate"},
		"?tools=identity-management,webhooks": {"users roles webhookSubscriptions", "agents userCreate"},
	} {
		names := list(query)
		for _, name := range strings.Fields(want.some) {
			if !slices.Contains(names, any(name)) {
				t.Errorf("%s does not offer %s", query, name)
			}
		}
		for _, name := range strings.Fields(want.none) {
			if slices.Contains(names, any(name)) {
				t.Errorf("%s offers %s", query, name)
			}
		}
	}
	status, answer := post(t, w, c, "?tools=everything", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil)
	if text := fmt.Sprint(apptest.At(answer, "error.message")); status != 400 || !strings.Contains(text, "agent-onboarding, business-insights, changes") {
		t.Errorf("a purpose that there is not: %d %v", status, answer)
	}
}
