package outside_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/clientstest"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

var codeBlock = regexp.MustCompile("(?s)\n```(\\w+)\n(.*?)```")

// codeOf returns the blocks of code of a page of docs, by their languages.
func codeOf(t *testing.T, page string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs", page))
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string][]string{}
	for _, found := range codeBlock.FindAllStringSubmatch(string(text), -1) {
		blocks[found[1]] = append(blocks[found[1]], found[2])
	}
	return blocks
}

// program writes a program of a language, of one page of docs, and returns the command
// that runs it. Go is built, and TypeScript checked and compiled: Node runs it as it is
// only from 22.18 on.
func program(t *testing.T, language, code string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), map[string]string{"sh": "guide.sh", "ts": "guide.mts", "python": "guide.py", "go": "guide.go"}[language])
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	switch language {
	case "ts":
		clientstest.Run(t, "", nil, "node", "node_modules/typescript/bin/tsc", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2023", "--typeRoots", "node_modules/@types", "--types", "node", file)
		return []string{"node", strings.TrimSuffix(file, ".mts") + ".mjs"}
	case "go":
		clientstest.Run(t, "", nil, "go", "build", "-o", strings.TrimSuffix(file, ".go"), file)
		return []string{strings.TrimSuffix(file, ".go")}
	case "python":
		return []string{"python3", file}
	}
	return []string{"sh", file}
}

// needGuides skips a test of the guides where a language is missing.
func needGuides(t *testing.T) {
	t.Helper()
	for _, name := range []string{"python3", "go", "curl", "jq"} {
		if _, err := exec.LookPath(name); err != nil {
			clientstest.Missing(t, name+" is not installed")
		}
	}
	clientstest.Node(t, "", "typescript")
}

// The programs of docs/integrators.md run as they stand there, and print what stands
// there, of the agency that a demo of 300 agents has. Each is turned away once, with 429, and
// comes again.
func TestGuides(t *testing.T) {
	needGuides(t)
	t.Parallel()
	code := codeOf(t, "integrators.md")
	code["go"] = []string{code["go"][0] + "\nfunc main() {\n" + strings.Join(code["go"][1:], "\n") + "}\n"}
	want := strings.Join(code["text"], "")
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	w.LoadDemo(t, apptest.Acme, 300)
	var turnedAway sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if _, before := turnedAway.LoadOrStore(r.UserAgent(), true); strings.HasSuffix(r.URL.Path, "/agents/A1000") && !before {
			rw.Header().Set("Retry-After", "1")
			http.Error(rw, `{"code":"RATE_LIMITED"}`, http.StatusTooManyRequests)
			return
		}
		w.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	id, secret := w.As(apptest.Acme).Credentials(t)
	environment := []string{"UPLINE_URL=" + server.URL, "TENANT=" + apptest.Acme, "CLIENT_ID=" + id, "CLIENT_SECRET=" + secret, "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1"}
	plain := httptest.NewServer(w)
	t.Cleanup(plain.Close)
	typed := clientstest.Run(t, "", append(environment, "UPLINE_URL="+plain.URL), "sh", "-c", strings.Join(code["console"][1:], "\n"))
	if !strings.Contains(string(typed), `"agentCode":"A1000"`) {
		t.Errorf("the first request, without the helper, prints %s", typed)
	}
	for _, language := range []string{"sh", "ts", "python", "go"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			command := program(t, language, strings.Join(code[language], "\n"))
			out := clientstest.Run(t, "", environment, command[0], command[1:]...)
			if string(out) != want {
				t.Errorf("it prints\n%s\nThe page says\n%s", out, want)
			}
		})
	}
}

// The helpers of docs/integrators.md do not repeat what may have been carried out: a POST
// without an Idempotency-Key that gets 503. With one they do.
func TestGuidesRepeat(t *testing.T) {
	needGuides(t)
	t.Parallel()
	code := codeOf(t, "integrators.md")
	const address = `agency + "/agents", `
	calls := map[string]string{
		"sh":     `call "$AGENCY/agents" -d '{}'; call "$AGENCY/agents" -H "Idempotency-Key: k" -d '{}'`,
		"ts":     `await call("POST", ` + address + `{}); await call("POST", ` + address + `{}, { "Idempotency-Key": "k" });`,
		"python": `call("POST", ` + address + `{}); call("POST", ` + address + `{}, **{"Idempotency-Key": "k"})`,
		"go": "func main() { var out any; call(\"POST\", " + address + "nil, &out); call(\"POST\", " + address + "nil, &out, \"Idempotency-Key\", \"k\") }\n" +
			"func guide() {\n" + strings.Join(code["go"][1:], "\n") + "}\n",
	}
	for language, calls := range calls {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			var without, with atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/token"):
					_, _ = rw.Write([]byte(`{"access_token":"t"}`))
					return
				case r.Header.Get("Idempotency-Key") == "":
					without.Add(1)
				default:
					with.Add(1)
				}
				rw.Header().Set("Retry-After", "0")
				http.Error(rw, "{}", http.StatusServiceUnavailable)
			}))
			t.Cleanup(server.Close)
			command := program(t, language, code[language][0]+"\n"+calls)
			clientstest.Run(t, "", []string{"UPLINE_URL=" + server.URL, "TENANT=acme", "CLIENT_ID=c", "CLIENT_SECRET=s", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1"},
				command[0], command[1:]...)
			if without.Load() != 1 || with.Load() != 5 {
				t.Errorf("without a key it is sent %d times, with one %d", without.Load(), with.Load())
			}
		})
	}
}
