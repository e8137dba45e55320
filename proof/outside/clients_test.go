package outside_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/clientstest"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// TestClients runs the programs of the folder clients at a server that listens on this
// machine: the caches of Apollo Client, urql and Relay keep two dates of one agent apart
// through reads, a refetch, pages and a change; the others read, and follow changes. It needs Node and the packages of the
// folder (npm ci); UPLINE_TEST_REQUIRE=clients makes it a failure when they are missing.
func TestClients(t *testing.T) {
	node := clientstest.Node(t, "", "relay-runtime")
	// Relay's compiler writes from the schema what its program runs.
	if err := os.MkdirAll(filepath.Join(clientstest.Folder, "__generated__"), 0o755); err != nil {
		t.Fatal(err)
	}
	clientstest.Run(t, "", nil, node, "node_modules/relay-compiler/cli.js")

	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	c := w.As(apptest.Acme)
	agentOnTwoDates(t, c)
	server := httptest.NewServer(w)
	defer server.Close()
	printed := clientstest.Run(t, "", []string{"UPLINE_URL=" + server.URL + "/graphql/" + apptest.Acme, "UPLINE_TOKEN=" + c.Token(t)}, node, "run.mjs")
	clientstest.Report(t, printed, "fetch", "graphql-request", "graphql-codegen", "graphql-ws", "graphql-sse", "Apollo Client 4", "Apollo Client 3", "urql graphcache", "Relay")
}

// agentOnTwoDates registers A1, who was active in January and is suspended today, and
// whose four certifications were good then and have expired.
func agentOnTwoDates(t *testing.T, c *apptest.Caller) {
	t.Helper()
	do := func(mutation string, variables object) {
		t.Helper()
		data := c.Query(t, mutation, variables)
		if refused := apptest.At(data, "done.userErrors"); len(refused.([]any)) > 0 {
			t.Fatalf("refused: %v", refused)
		}
	}
	do(`mutation { done: agentRegister(input: {agentCode: "A1", firstName: "Ana", lastName: "Díaz", status: "Active", startDate: "2024-01-01T12:00:00Z",
		initiator: "x", teams: [{membership: {level: 10}}]}) { userErrors { message } } }`, nil)
	do(`mutation { done: payStatusPeriodApply(input: {agentCode: "A1", status: "Suspended", effectiveFrom: "2026-03-01", initiator: "x"}) { userErrors { message } } }`, nil)
	for _, jurisdiction := range []string{"US-TX", "US-CA", "US-NY", "US-FL"} {
		for _, period := range []object{{"status": "ACTIVE", "effectiveFrom": "2025-01-01"}, {"status": "EXPIRED", "effectiveFrom": "2026-02-01"}} {
			input := object{"agentCode": "A1", "type": "AML", "jurisdiction": jurisdiction, "isResidentCertification": false, "isVerified": true, "initiator": "x"}
			for name, value := range period {
				input[name] = value
			}
			do(`mutation($input: CertificationUpsertInput!) { done: certificationUpsert(input: $input) { userErrors { message } } }`, object{"input": input})
		}
	}
}

// The manifests of three tools are taken as they write them, and their clients then run with
// nothing but ids.
func TestTrustedDocumentsOfTools(t *testing.T) {
	node := clientstest.Node(t, "", "@apollo/persisted-query-lists")
	generated := filepath.Join(clientstest.Folder, "__generated__", "trusted")
	// Relay's compiler adds a text when it writes its artifact, to a file that has to be there.
	if err := errors.Join(os.RemoveAll(generated), os.MkdirAll(filepath.Join(generated, "relay"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(generated, "relay.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	clientstest.Run(t, "", nil, node, "node_modules/relay-compiler/cli.js", "trusted/relay.config.json")
	clientstest.Run(t, "", nil, node, "node_modules/@graphql-codegen/cli/esm/bin.js", "--config", "trusted/codegen.mjs", "--silent")
	clientstest.Run(t, "", nil, node, "node_modules/@apollo/generate-persisted-query-manifest/cli.js", "--config", "trusted/apollo.config.mjs")

	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	c := w.As(apptest.Acme, allScopes...)
	agentOnTwoDates(t, c)
	client := apptest.At(c.Query(t, "{ viewer { subject } }", nil), "viewer.subject")
	for _, name := range []string{"relay.json", "apollo.json", "codegen/persisted-documents.json"} {
		text, err := os.ReadFile(filepath.Join(generated, name))
		if err != nil {
			t.Fatal(err)
		}
		var manifest any
		if err := json.Unmarshal(text, &manifest); err != nil {
			t.Fatal(err)
		}
		if data := c.Query(t, apptest.AddDocuments, object{"client": client, "manifest": manifest}); apptest.At(data, "m.applied") != true {
			t.Fatalf("%s: %v", name, data)
		}
	}
	c.Query(t, `mutation($client: String!) { clientUpdate(input: {clientId: $client, trustedDocuments: ENFORCE}) { applied } }`, object{"client": client})
	server := httptest.NewServer(w)
	defer server.Close()
	printed := clientstest.Run(t, "", []string{"UPLINE_URL=" + server.URL + "/graphql/" + apptest.Acme, "UPLINE_TOKEN=" + c.Token(t)}, node, "trusted/run.mjs")
	clientstest.Report(t, printed, "graphql-codegen", "Relay", "Apollo Client", "a text")
	if text := string(printed); strings.Count(text, `"said":"Active"`) != 3 || !strings.Contains(text, `"said":"DOCUMENT_NOT_TRUSTED"`) {
		t.Errorf("they said %s", text)
	}
}

// A gateway composes the schema with another subgraph of Relay's kind and asks here for the
// agents and certifications that its objects refer to, all of a list with one request.
func TestFederation(t *testing.T) {
	node := clientstest.Node(t, "", "@apollo/gateway")
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	c := w.As(apptest.Acme, allScopes...)
	agentOnTwoDates(t, c)
	server := httptest.NewServer(w)
	defer server.Close()
	printed := clientstest.Run(t, "", []string{"UPLINE_URL=" + server.URL + "/graphql/" + apptest.Acme, "UPLINE_TOKEN=" + c.Token(t)}, node, "federation/run.mjs")
	clientstest.Report(t, printed, "Apollo: agents of another subgraph", "Apollo: objects by id", "Apollo: both from here", "Hive: agents of another subgraph", "Hive: objects by id", "Hive: both from here")
	const ana = `{"id":"T0","about":{"agentCode":"A1","openTickets":2,"displayName":"Ana Díaz","payStatus":{"name":"Suspended"}}}`
	for _, want := range []string{
		`"data":{"tickets":{"nodes":[` + ana + `,{"id":"T1","about":null}`,
		`1 requests: {"data":{"tickets":{"nodes":[{"licence":{"type":{"code":"AML"},"agent":{"agentCode":"A1"}}}`,
		`1 requests: {"data":{"agent":{"displayName":"Ana Díaz","openTickets":2}}}`,
	} {
		text, err := json.Marshal(want)
		if err != nil || strings.Count(string(printed), string(text[1:len(text)-1])) != 2 {
			t.Errorf("not both said %s: %s", want, printed)
		}
	}
}
