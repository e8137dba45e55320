package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/uplinehq/upline/app/clientstest"
)

// TestOpenAPIClients holds the published document to the checkers and generators
// that its users have: Redocly and Spectral find nothing, what openapi-typescript,
// hey-api and orval make compiles and talks to a demo, and the Postman collection
// that is made of it runs as it is (clients/openapi).
func TestOpenAPIClients(t *testing.T) {
	t.Parallel() // other processes work
	node := clientstest.Node(t, "openapi", "openapi-typescript")
	printed := clientstest.Run(t, "openapi", nil, node, "check.mjs", serveDemo(t, "", 300))
	clientstest.Report(t, printed, "Redocly, 3.1", "Redocly, 3.0", "Spectral, 3.1", "Spectral, 3.0",
		"openapi-typescript and openapi-fetch, hey-api, orval", "Postman, newman")
}

// TestGoClients has oapi-codegen, ogen and genqlient make clients of what a demo
// publishes, and runs a program with each of them (clients/go). Nothing is fetched
// meanwhile.
func TestGoClients(t *testing.T) {
	t.Parallel() // other processes work
	const folder = "go"
	offline := clientstest.Modules(t, folder, "tool")
	base := serveDemo(t, "", 300)
	generated := filepath.Join(clientstest.Folder, folder, "generated")
	for _, package_ := range []string{"oapi", "gql"} {
		if err := os.MkdirAll(filepath.Join(generated, package_), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, tool := range map[string][]string{
		"oapicodegen": {"oapi-codegen", "-config", "oapi-codegen.yml", download(t, base, "/openapi.json", generated)},
		"ogen":        {"ogen", "-config", "ogen.yml", "-package", "ogenapi", "-target", "generated/ogen", "-clean", download(t, base, "/openapi-3.0.json", generated)},
		"genqlient":   {"genqlient", "genqlient.yml"},
	} {
		t.Run(name, func(t *testing.T) {
			clientstest.Run(t, folder, offline, "go", append([]string{"tool"}, tool...)...)
			clientstest.Run(t, folder, offline, "go", "run", "./"+name, base, demoToken(t, base))
		})
	}
}

// demoToken returns an access token of a demo.
func demoToken(t *testing.T, base string) string {
	t.Helper()
	answer, err := http.PostForm(base+"/oauth2/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {"demo"}, "client_secret": {"demo-secret"}})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var made struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.Token == "" {
		t.Fatalf("no token: %s, %v", answer.Status, err)
	}
	return made.Token
}

// download writes what a server answers at a path into a folder, and returns the name
// of the file from the folder above.
func download(t *testing.T, base, path, folder string) string {
	t.Helper()
	answer, err := http.Get(base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", path, answer.Status, err)
	}
	if err := os.WriteFile(filepath.Join(folder, path), body, 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(filepath.Base(folder), path)
}
