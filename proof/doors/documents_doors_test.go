package doors_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/uplinehq/upline/app/apptest"
)

// A client that may run its trusted documents only brings no other one through any door, and
// what it may not bring is not run: each way that a text can come is tried, with a document
// that is read from a text whenever it runs.
func TestTrustedDocumentsHoldAtEveryDoor(t *testing.T) {
	onEach(t, func(t *testing.T, r *apptest.World) {
		server := httptest.NewServer(r)
		defer server.Close()
		defer r.EndStreams()
		scopes := []string{"read:agents", readRecipes, writeRecipes, runReports, "read:users"}
		front := r.WithToken(apptest.Acme, r.As(apptest.Acme, scopes...).Token(t))
		client := apptest.At(front.Query(t, "{ viewer { subject } }", nil), "viewer.subject").(string)
		saved := recipeBody("Free", "graphql", object{"graphql": "query($first: Int, $after: String) { agents(first: $first, after: $after) { nodes { agentCode } pageInfo { hasNextPage endCursor } totalCount } }",
			"connectionPath": "agents", "columns": []any{object{"field": "agentCode"}}})
		id := createRecipe(t, front, saved)
		manifest := object{"save": "mutation($input: ReportRecipeCreateInput!) { reportRecipeCreate(input: $input) { applied userErrors { code field } } }",
			"replace": "mutation($input: ReportRecipeReplaceInput!) { reportRecipeReplace(input: $input) { applied userErrors { code field } } }",
			"export":  `mutation($query: String!) { exportCreate(input: {query: $query, connectionPath: "agents", format: CSV}) { applied userErrors { code field } } }`}
		admin := r.As(apptest.Acme, allScopes...)
		admin.Query(t, apptest.AddDocuments, object{"client": client, "manifest": manifest})
		free := `{ agents(first: 1) { totalCount } }`
		const subscription = `subscription { agentChanged { agentCode } }`
		json := http.Header{"Content-Type": {"application/json"}}
		post := func(body any, header http.Header) func() string {
			return func() string {
				a := front.Send(t, http.MethodPost, "/graphql/acme", header, []byte(quoted(body)))
				return a.Body.String()
			}
		}
		socket := func(document string) func() string {
			return func() string {
				conn, _, err := websocket.Dial(t.Context(), server.URL+"/graphql/"+apptest.Acme, &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
				if err != nil {
					t.Fatal(err)
				}
				defer conn.CloseNow()
				for _, message := range []object{{"type": "connection_init", "payload": object{"Authorization": "Bearer " + front.Token(t)}},
					{"id": "0", "type": "subscribe", "payload": object{"query": document}}} {
					if err := conn.Write(t.Context(), websocket.MessageText, []byte(quoted(message))); err != nil {
						t.Fatal(err)
					}
				}
				if _, greeting, err := conn.Read(t.Context()); err != nil || !strings.Contains(string(greeting), "connection_ack") {
					t.Fatalf("%s %v", greeting, err)
				}
				_, got, err := conn.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return string(got)
			}
		}
		session, err := connect(t, r, front, everyTool)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		assistant := assistant{ClientSession: session, Caller: front}
		tool := func(name string, arguments object) func() string {
			return func() string { answer, _ := assistant.call(t, name, arguments); return answer }
		}
		exported := "{ agents { nodes { agentCode } } }"
		input := object{"name": "Free", "dataset": "graphql", "definition": saved["definition"]}
		doors := map[string]func() string{
			"POST":               post(object{"query": free}, json),
			"POST of a mutation": post(object{"query": `mutation { tagDelete(input: {name: "x"}) { applied } }`}, json),
			"GET": func() string {
				return front.Send(t, http.MethodGet, "/graphql/acme?query="+url.QueryEscape(free), nil, nil).Body.String()
			},
			"with a hash":              post(object{"query": free, "extensions": hashedAs(free)}, json),
			"server-sent events":       post(object{"query": free}, http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}),
			"a subscription as events": post(object{"query": subscription}, http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}),
			"WebSocket":                socket(free),
			"a subscription by socket": socket(subscription),
			"an export":                post(object{"documentId": "export", "variables": object{"query": exported}}, json),
			"a saved query":            post(object{"documentId": "save", "variables": object{"input": input}}, json),
			"a saved query, replaced":  post(object{"documentId": "replace", "variables": object{"input": object{"id": id, "name": "Free", "dataset": "graphql", "definition": saved["definition"]}}}, json),
			"a saved query by REST": func() string {
				return front.Send(t, http.MethodPost, recipes, json, []byte(quoted(saved))).Body.String()
			},
			"an assistant's query": tool("graphql", object{"query": free}),
			"the same by name":     tool("graphql", object{"query": "query A { viewer { subject } } query B " + free, "operationName": "B"}),
			"several at once":      post([]any{object{"query": free}, object{"query": free}}, json),
			"an id beside it":      post(object{"query": free, "documentId": "export"}, json),
		}
		const mode = `mutation($client: String!, $to: TrustedDocuments!) { clientUpdate(input: {clientId: $client, trustedDocuments: $to}) { client { trustedDocuments } userErrors { code } } }`
		admin.Query(t, mode, object{"client": client, "to": "ENFORCE"})
		for name, ask := range doors {
			got := ask()
			if strings.Contains(got, `"data":{"`) && !strings.Contains(got, "userErrors") || strings.Contains(got, `"applied":true`) || strings.Contains(got, "totalCount") {
				t.Errorf("%s: a document that is not trusted runs: %s", name, got)
			}
			if told := []string{"DOCUMENT_NOT_TRUSTED", "NOT_APPLICABLE", "trusted documents only", "exclude each other"}; !slices.ContainsFunc(told, func(why string) bool { return strings.Contains(got, why) }) && name != "several at once" {
				t.Errorf("%s: the answer does not say why: %s", name, got)
			}
		}
		// What is ours, or was saved before, runs as ever.
		if got := tool("scenarios", object{})(); strings.Contains(got, "trusted") {
			t.Errorf("a tool with a document of ours: %s", got)
		}
		if got := front.Send(t, http.MethodGet, recipes+"/"+id, nil, nil); got.Code != http.StatusOK {
			t.Errorf("a query saved before: %d %s", got.Code, got.Body)
		}
	})
}

// bringers are the places where a text becomes a document that runs, and why none of them
// lets a client that may not bring one do so. Another place needs a reason and a door above.
var bringers = map[string]string{
	"graph/transport/request.go": "POST, GET and server-sent events; the executor's extension checks",
	"graph/transport/socket.go":  "WebSocket; the same",
	"graph/server.go":            "documents of ours, and FreeQuery, which checks",
	"graph/saved_query.go":       "saved queries, checked when they are saved",
	"graph/export.go":            "exports, checked when they are asked for",
}

// Nothing else makes a document of a text.
func TestDocumentsComeThroughKnownPlaces(t *testing.T) {
	var found []string
	for _, folder := range []string{"graph", "app", "mcp", "rest", "internal"} {
		err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), "RawParams{") {
				found = append(found, strings.TrimPrefix(filepath.ToSlash(path), "../../"))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range found {
		if bringers[path] == "" {
			t.Errorf("%s makes a document of a text: can a client bring one there that is not trusted?", path)
		}
	}
	if len(found) != len(bringers) {
		t.Errorf("documents are made in %s", fmt.Sprint(found))
	}
}
