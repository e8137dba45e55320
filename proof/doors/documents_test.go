package doors_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

const (
	trustedQuery = "query Code { agents(first: 1) { nodes { agentCode } } }"
	otherQuery   = "{ agents(first: 1) { totalCount } }"
)

// A client that is told to may run the documents that it was built with, by their ids, and
// nothing else; another client has none of them.
func TestTrustedDocuments(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		admin, front, other := w.As(apptest.Acme, allScopes...), w.As(apptest.Acme, "read:agents"), w.As(apptest.Acme, "read:agents", "write:agents")
		client := apptest.At(front.Query(t, "{ viewer { subject } }", nil), "viewer.subject").(string)
		sum := sha256.Sum256([]byte(trustedQuery))
		hash := hex.EncodeToString(sum[:])
		must := func(query string, variables object, path string, want any) {
			t.Helper()
			if got := apptest.At(admin.Query(t, query, variables), path); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s %v: %s is %v; want %v", query, variables, path, got, want)
			}
		}
		asked := func(c *apptest.Caller, body object, want string) {
			t.Helper()
			text, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			if r := c.Send(t, http.MethodPost, "/graphql/acme", http.Header{"Content-Type": {"application/json"}}, text); !strings.Contains(r.Body.String(), want) {
				t.Errorf("%v: %d %s; want %s", body, r.Code, r.Body, want)
			}
		}
		const data, notFound, notTrusted = `"data":{"agents":`, "DOCUMENT_NOT_FOUND", "DOCUMENT_NOT_TRUSTED"
		byHash := object{"extensions": object{"persistedQuery": object{"version": 1, "sha256Hash": hash}}}

		asked(front, object{"documentId": hash}, notFound)
		asked(front, byHash, "PERSISTED_QUERY_NOT_FOUND")
		const exported = `mutation { exportCreate(input: {query: "{ agents { nodes { agentCode } } }", connectionPath: "agents", format: CSV}) { applied userErrors { code field } } }`
		manifest := object{hash: trustedQuery, "x-export": exported, "x-write": "mutation { agentDelete(input: {agentCode: \"A1\"}) { applied } }"}
		must(apptest.AddDocuments, object{"client": client, "manifest": manifest}, "m.added", 3)
		must(apptest.AddDocuments, object{"client": client, "manifest": manifest}, "m.applied", false)
		must(apptest.AddDocuments, object{"client": client, "manifest": object{hash: otherQuery}}, "m.userErrors.0.code", "DUPLICATE_KEY")
		must(apptest.AddDocuments, object{"client": client, "manifest": object{"new": otherQuery, "bad": "{ nothing }"}}, "m.userErrors.0.field.2", "bad")
		must(apptest.AddDocuments, object{"client": "nobody", "manifest": manifest}, "m.userErrors.0.code", "NOT_FOUND")

		asked(front, object{"documentId": hash}, data)
		asked(front, object{"documentId": "sha256:" + hash}, data)
		asked(front, byHash, data)
		asked(front, object{"documentId": hash, "query": trustedQuery}, "exclude each other")
		asked(front, object{"documentId": "x-write"}, "delete:agents") // its own scopes count
		asked(front, object{"documentId": "x-export"}, `"applied":true`)
		asked(front, object{"documentId": "x\u0000"}, notFound)
		asked(front, object{"query": otherQuery}, data)
		asked(other, object{"documentId": hash}, notFound)
		if r := front.Send(t, http.MethodGet, "/graphql/acme?documentId="+hash, nil, nil); r.Code != http.StatusOK || !strings.Contains(r.Body.String(), data) {
			t.Errorf("by GET: %d %s", r.Code, r.Body)
		}

		const mode = `mutation($client: String!, $to: TrustedDocuments!) { m: clientUpdate(input: {clientId: $client, trustedDocuments: $to}) { client { trustedDocuments } userErrors { code } } }`
		must(mode, object{"client": client, "to": "LOG"}, "m.client.trustedDocuments", "LOG")
		asked(front, object{"query": otherQuery}, data)
		if !strings.Contains(w.Logged(), "a client sent a document that is not one of its trusted ones") {
			t.Error("the log does not tell of a text")
		}
		must(mode, object{"client": client, "to": "ENFORCE"}, "m.client.trustedDocuments", "ENFORCE")
		asked(front, object{"query": otherQuery}, notTrusted)
		asked(front, object{"query": trustedQuery}, notTrusted)
		asked(front, object{"query": otherQuery, "extensions": hashedAs(otherQuery)}, notTrusted)
		asked(other, object{"query": otherQuery, "extensions": hashedAs(otherQuery)}, data)
		asked(front, object{"extensions": hashedAs(otherQuery)}, notTrusted) // kept for another client
		asked(front, object{"documentId": hash}, data)
		asked(front, byHash, data)
		asked(front, object{"documentId": "x-export"}, `"code":"NOT_APPLICABLE","field":["input","query"]`)
		if status, _, answer := front.REST(t, "GET", "/agents", nil); status != http.StatusOK {
			t.Errorf("REST: %d %s", status, answer)
		}

		const remove = `mutation($client: String!, $ids: [String!]!) { m: clientDocumentsRemove(input: {clientId: $client, documentIds: $ids}) { applied userErrors { code field } } }`
		must(remove, object{"client": client, "ids": []any{hash, "none"}}, "m.userErrors.0.code", "NOT_FOUND")
		must(remove, object{"client": client, "ids": []any{}}, "m.userErrors.0.code", "OUT_OF_RANGE")
		must(`query($client: String!) { clientDocuments(clientId: $client, first: 1) { totalCount nodes { body } } }`, object{"client": client}, "clientDocuments.totalCount", 3)
		must(remove, object{"client": client, "ids": []any{hash}}, "m.applied", true)
		asked(front, object{"documentId": hash}, notFound)
	})
}

func hashedAs(query string) object {
	sum := sha256.Sum256([]byte(query))
	return object{"persistedQuery": object{"version": 1, "sha256Hash": hex.EncodeToString(sum[:])}}
}

// What clients use of the schema is counted by day, once for each request, and swept after
// 400 days; what REST runs is not counted.
func TestSchemaUses(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		admin, front := w.As(apptest.Acme, allScopes...), w.As(apptest.Acme, "read:agents")
		client := apptest.At(front.Query(t, "{ viewer { subject } }", nil), "viewer.subject").(string)
		used := func(filter object) (all []string) {
			t.Helper()
			if err := w.Graph.StoreUses(t.Context()); err != nil {
				t.Fatal(err)
			}
			filter["clientId"] = client
			data := admin.Query(t, "query($f: SchemaUseFilter) { schemaUses(filter: $f) { nodes { coordinate requests lastUsedOn } } }", object{"f": filter})
			for _, node := range apptest.At(data, "schemaUses.nodes").([]any) {
				text, err := json.Marshal(node)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, string(text))
			}
			return all
		}
		for range 2 {
			front.Query(t, trustedQuery, nil)
		}
		front.REST(t, "GET", "/agents", nil)
		want := []string{
			`{"coordinate":"Agent.agentCode","lastUsedOn":"2026-06-15","requests":2}`, `{"coordinate":"AgentConnection.nodes","lastUsedOn":"2026-06-15","requests":2}`,
			`{"coordinate":"Query.agents","lastUsedOn":"2026-06-15","requests":2}`, `{"coordinate":"Query.agents(first:)","lastUsedOn":"2026-06-15","requests":2}`,
			`{"coordinate":"Query.viewer","lastUsedOn":"2026-06-15","requests":1}`, `{"coordinate":"Viewer.subject","lastUsedOn":"2026-06-15","requests":1}`,
		}
		if got := used(object{}); !slices.Equal(got, want) {
			t.Errorf("used: %v; want %v", got, want)
		}
		w.Clock.Move(24 * time.Hour)
		front.Query(t, trustedQuery, nil)
		if got := used(object{"coordinate": "Agent.agentCode"}); !slices.Equal(got, []string{`{"coordinate":"Agent.agentCode","lastUsedOn":"2026-06-16","requests":3}`}) {
			t.Errorf("a day later: %v", got)
		}
		if got := used(object{"coordinate": "Agent.agentCode", "through": "2026-06-15"}); !slices.Equal(got, want[:1]) {
			t.Errorf("of the first day: %v", got)
		}
		w.Clock.Move(400 * 24 * time.Hour)
		if err := w.Identity.SweepUses(w.Context(t, apptest.Acme)); err != nil {
			t.Fatal(err)
		}
		if got := used(object{"coordinate": "Agent.agentCode", "through": "2026-06-16"}); !slices.Equal(got, []string{`{"coordinate":"Agent.agentCode","lastUsedOn":"2026-06-16","requests":1}`}) {
			t.Errorf("400 days later: %v", got)
		}
	})
}
