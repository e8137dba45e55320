package main

import (
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"

	"github.com/uplinehq/upline/app/clientstest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

var (
	takePictures  = flag.Bool("pictures", false, "write the pictures of docs/workbench.md anew")
	journeyAgents = flag.Int("journey-agents", 2000, "agents of the demo agency of the journeys")
)

// TestWorkbench walks the journeys of web/journeys in a real browser at the demo, as
// the demo command serves it: all of them on SQLite; on PostgreSQL whatever depends on the
// database; and the everyday tasks as an administrator who signs in with the agency's own
// provider. It needs Node, Chromium and the
// packages of web (npm ci); UPLINE_TEST_REQUIRE=browser makes it a failure when they
// are missing.
func TestWorkbench(t *testing.T) {
	t.Parallel() // other processes work
	node, chromium := browserTools(t)
	t.Run("sqlite", func(t *testing.T) { walk(t, node, chromium, serveDemo(t, "", *journeyAgents), "all", 50) })
	t.Run("postgres", func(t *testing.T) {
		walk(t, node, chromium, serveDemo(t, emptyPostgres(t), *journeyAgents), "database", 20)
	})
	t.Run("provider", func(t *testing.T) {
		base := serveDemo(t, "", *journeyAgents)
		person, signedIn := addProvider(t, base)
		if walk(t, node, chromium, base, "person", 6, "UPLINE_JOURNEY_PERSON="+person); signedIn.Load() == 0 {
			t.Error("nobody has signed in with the provider")
		}
	})
}

// addProvider gives the demo agency a provider that others wrote, and its administrator the
// e-mail address of a person whom it knows. It returns how that person signs in there, as
// JSON, and how often that was done.
func addProvider(t *testing.T, base string) (person string, signedIn *atomic.Int64) {
	t.Helper()
	storage.RegisterClients(storage.WebClient("upline", "a secret at zitadel", base+"/oauth2/callback/demo/zitadel"))
	var router http.Handler
	signedIn = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/login/username" {
			signedIn.Add(1)
		}
		router.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	router = exampleop.SetupServer(server.URL, storage.NewStorage(storage.NewUserStore(server.URL)), slog.New(slog.DiscardHandler), false)
	const email = "test-user@zitadel.ch"
	body, err := json.Marshal(map[string]string{"query": `mutation { user: userUpdate(input: {username: "admin", email: "` + email + `"}) { applied }
		provider: signInProviderCreate(input: {name: "zitadel", issuer: "` + server.URL + `", clientId: "upline", clientSecret: "a secret at zitadel", domains: ["zitadel.ch"]}) { applied } }`})
	if err != nil {
		t.Fatal(err)
	}
	var done struct {
		Data   struct{ User, Provider struct{ Applied bool } }
		Errors any
	}
	if ask(t, "POST", base+"/graphql/demo", demoToken(t, base), string(body), &done); !done.Data.User.Applied || !done.Data.Provider.Applied {
		t.Fatalf("%+v", done)
	}
	return `{"email": "` + email + `", "username": "test-user@127.0.0.1", "password": "verysecure"}`, signedIn
}

// emptyPostgres returns the URL of a database without tables: the demo takes no other.
func emptyPostgres(t *testing.T) string {
	t.Helper()
	url := dbtest.PostgresURL(t)
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, statement := range []string{"DROP SCHEMA public CASCADE", "CREATE SCHEMA public"} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// browserTools returns the programs that the journeys need.
func browserTools(t *testing.T) (node, chromium string) {
	node, err := exec.LookPath("node")
	if err != nil {
		withoutBrowser(t, "Node is not installed")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if chromium, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if err != nil {
		withoutBrowser(t, "Chromium is not installed")
	}
	if _, err := os.Stat("../../web/node_modules/playwright-core"); err != nil {
		withoutBrowser(t, "the packages of web are missing; type: npm ci --prefix web --ignore-scripts")
	}
	return node, chromium
}

func withoutBrowser(t *testing.T, what string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("UPLINE_TEST_REQUIRE"), ","), "browser") {
		t.Fatal(what)
	}
	t.Skip("*** LEFT OUT: what needs Node or a browser: " + what)
}

// walk walks the journeys at a demo, all of them or those that depend on the database, so
// many at least; each is a test.
func walk(t *testing.T, node, chromium, base, which string, least int, environment ...string) {
	clientstest.DependsOn(t, "../../web/journeys")
	arguments := []string{"../../web/journeys/run.mjs", base, chromium, which}
	if *takePictures && which == "all" {
		folder, err := filepath.Abs("../../docs/workbench")
		if err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, folder)
	}
	walking := exec.CommandContext(t.Context(), node, arguments...)
	walking.Stderr, walking.Env = os.Stderr, append(os.Environ(), environment...)
	out, err := walking.Output()
	if err != nil {
		t.Fatalf("the journeys did not run: %v", err)
	}
	var results []struct {
		Name, Said, Problem string
		Ms                  int
	}
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatal(err)
	}
	if len(results) < least {
		t.Errorf("only %d journeys", len(results))
	}
	for _, r := range results {
		t.Run(r.Name, func(t *testing.T) {
			if r.Problem != "" {
				t.Error(r.Problem)
			}
			t.Logf("%d ms %s", r.Ms, r.Said)
		})
	}
}

// serveDemo runs the demo command until the test ends.
func serveDemo(t *testing.T, database string, agents int) (base string) {
	addr := dbtest.FreeAddress(t)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	demo := &demoCommand{Data: t.TempDir(), Database: database, Addr: addr, Agents: agents, Seed: 1}
	go func() { ended <- demo.Run(ctx, slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the demo ended with %v", err)
		}
	})
	base = "http://" + addr
	for range 600 {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the demo did not start: %v", err)
		case <-time.After(200 * time.Millisecond):
		}
		if answer, err := http.Get(base + "/readyz"); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusNoContent || answer.StatusCode == http.StatusOK {
				return base
			}
		}
	}
	t.Fatal("the demo did not become ready")
	return ""
}
