package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// TestOpenAPIClients holds the published document to the checkers and generators
// that its users have: Redocly and Spectral find nothing, what openapi-typescript,
// hey-api and orval make compiles and talks to a demo, and the Postman collection
// that is made of it runs as it is (clients/openapi).
func TestOpenAPIClients(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		withoutBrowser(t, "Node is not installed")
	}
	if _, err := os.Stat("../../clients/openapi/node_modules/openapi-typescript"); err != nil {
		withoutBrowser(t, "the packages of clients/openapi are missing; type: npm ci --prefix clients/openapi --ignore-scripts")
	}
	checking := exec.CommandContext(t.Context(), node, "../../clients/openapi/check.mjs", serveDemo(t, "", 300))
	checking.Stderr = os.Stderr
	out, err := checking.Output()
	if err != nil {
		t.Fatalf("the checks did not run: %v", err)
	}
	var results []struct{ Name, Problem string }
	if err := json.Unmarshal(out, &results); err != nil || len(results) < 6 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, r := range results {
		t.Run(r.Name, func(t *testing.T) {
			if r.Problem != "" {
				t.Error(r.Problem)
			}
		})
	}
}
