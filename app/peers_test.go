package app_test

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
	// As seen from here, and from the programs of clients.
	const folder = "../bench/peers/docs/ours"
	documents, err := filepath.Glob(folder + "/*.graphql")
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
	var asked map[string]map[string]any
	names := make([]string, len(documents))
	for i, path := range documents {
		names[i] = strings.TrimSuffix(filepath.Base(path), ".graphql")
	}
	list, _ := json.Marshal(names)
	adapted(t, fmt.Sprintf(`const key = { id: 1, code: "A3", up: "A1", number: "N77", state: "TX", day: "2026-06-01" };
		console.log(JSON.stringify(Object.fromEntries(%s.map((w) => [w, ours.variables(w, key)]))));`, list), &asked)
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		register(t, c, "A1", nil)
		register(t, c, "A2", object{"teams": object{"default": object{"level": 10, "directUpline": "A1"}}})
		register(t, c, "A3", object{"teams": object{"default": object{"level": 10, "directUpline": "A2"}}})
		c.Query(t, `mutation { agentContactUpdate(input: {agentCode: "A3", cellPhone: {countryCode: "1", areaCode: "555", phoneNumber: "0104729"}}) { applied } }`, nil)
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
				adapted(t, fmt.Sprintf(`console.log(JSON.stringify(ours.normalize(ours.canonical[%q] ?? %q, %s) ?? null));`, names[i], names[i], answer), &read)
				if read == nil {
					t.Errorf("nothing is read of %s", answer)
				}
			})
		}
	})
}
