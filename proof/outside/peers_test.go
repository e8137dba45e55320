package outside_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/clientstest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// Every document with which bench/peers asks Upline is answered, with the variables that it
// sends, and its answer is read as the other servers' answers are: docs/benchmarks.md can be
// measured again.
func TestDocumentsOfThePeersBenchmark(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		clientstest.Missing(t, "node")
	}
	// As seen from the programs of clients.
	const folder = "../bench/peers/docs/ours"
	documents, err := filepath.Glob("../" + folder + "/*.graphql")
	if err != nil || len(documents) < 10 {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	adapted := func(t *testing.T, script string, into any) {
		t.Helper()
		printed := clientstest.Run(t, folder, nil, "node", "--input-type=module", "-e", `import * as ours from "./adapt.mjs"; `+script)
		if err := json.Unmarshal(printed, into); err != nil {
			t.Fatalf("%v: %s", err, printed)
		}
	}
	names := make([]string, len(documents))
	for i, path := range documents {
		names[i] = strings.TrimSuffix(filepath.Base(path), ".graphql")
	}
	list, _ := json.Marshal(names)
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		above := any(nil)
		for _, code := range []string{"A0", "A1", "A2", "A3"} {
			apptest.Register(t, c, code, object{"startDate": "2026-01-01T12:00:00Z", "teams": object{"default": object{"level": 10, "directUpline": above}}})
			above = code
		}
		c.Query(t, `mutation { agentContactUpdate(input: {agentCode: "A3", cellPhone: {countryCode: "1", areaCode: "555", phoneNumber: "0104729"}}) { applied } }`, nil)
		cursor := apptest.At(c.Query(t, `{ agents(first: 1) { edges { cursor } } }`, nil), "agents.edges.0.cursor")
		var asked map[string]map[string]any
		adapted(t, fmt.Sprintf(`const key = { id: 1, code: "A3", up: "A1", number: "N77", state: "TX", day: "2026-06-01" };
			await ours.init(async () => ({ data: { agents: { edges: [{ cursor: %q, node: { agentCode: key.code } }], pageInfo: { hasNextPage: false } } } }), %s);
			console.log(JSON.stringify(Object.fromEntries(%s.map((w) => [w, ours.variables(w, key)]))));`, cursor, list, list), &asked)
		for i, path := range documents {
			t.Run(names[i], func(t *testing.T) {
				document, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				data, errs := c.GraphQL(t, string(document), asked[names[i]])
				answer, _ := json.Marshal(data)
				if len(errs) > 0 || strings.Contains(string(answer), `"code":"`) && strings.Contains(string(answer), `"message"`) {
					t.Fatalf("%v %s", errs, answer)
				}
				var read any
				adapted(t, fmt.Sprintf(`console.log(JSON.stringify(ours.normalize(%q, %s) ?? null));`, names[i], answer), &read)
				if read == nil {
					t.Errorf("nothing is read of %s", answer)
				}
			})
		}
	})
}
