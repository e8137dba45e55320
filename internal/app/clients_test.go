package app_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/store/dbtest"
)

// clientsFolder holds programs that use the clients which people use.
const clientsFolder = "../../clients"

// TestClients runs the programs of the folder clients at a server that listens on this
// machine: the caches of Apollo Client, urql and Relay keep two dates of one agent apart
// through reads, a refetch, pages and a change. It needs Node and the packages of the
// folder (npm ci); UPLINE_TEST_REQUIRE=clients makes it a failure when they are missing.
func TestClients(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		withoutClients(t, "Node is not installed")
	}
	if _, err := os.Stat(filepath.Join(clientsFolder, "node_modules", "relay-runtime")); err != nil {
		withoutClients(t, "the packages of clients are missing; type: npm ci --prefix clients --ignore-scripts")
	}
	// Relay's compiler writes from the schema what its program runs.
	if err := os.MkdirAll(filepath.Join(clientsFolder, "__generated__"), 0o755); err != nil {
		t.Fatal(err)
	}
	inClients(t, nil, node, "node_modules/relay-compiler/cli.js")

	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	c := w.As(apptest.Acme)
	agentOnTwoDates(t, c)
	server := httptest.NewServer(w)
	defer server.Close()
	out := inClients(t, []string{"UPLINE_URL=" + server.URL + "/graphql/" + apptest.Acme, "UPLINE_TOKEN=" + c.Token(t)}, node, "run.mjs")
	var results []struct{ Name, Said, Problem string }
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(results) < 3 {
		t.Errorf("only %d clients", len(results))
	}
	for _, r := range results {
		t.Run(r.Name, func(t *testing.T) {
			if r.Problem != "" {
				t.Error(r.Problem)
			}
			t.Log(r.Said)
		})
	}
}

func withoutClients(t *testing.T, what string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("UPLINE_TEST_REQUIRE"), ","), "clients") {
		t.Fatal(what)
	}
	t.Skip("*** LEFT OUT: the clients that people use: " + what)
}

// inClients runs a program in the folder of the clients and returns what it prints.
func inClients(t *testing.T, environment []string, name string, arguments ...string) []byte {
	t.Helper()
	return inFolder(t, clientsFolder, environment, name, arguments...)
}

// inFolder is inClients for another folder.
func inFolder(t *testing.T, folder string, environment []string, name string, arguments ...string) []byte {
	t.Helper()
	program := exec.CommandContext(t.Context(), name, arguments...)
	program.Dir, program.Env = folder, append(os.Environ(), environment...)
	var complaints strings.Builder
	program.Stderr = &complaints
	out, err := program.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(arguments, " "), err, out, complaints.String())
	}
	return out
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
