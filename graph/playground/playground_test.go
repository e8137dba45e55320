package playground

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/platform/asset"
)

func get(h http.Handler, target string, header ...string) *http.Response {
	return do(h, http.MethodGet, target, header...)
}

func do(h http.Handler, method, target string, header ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestStatus(t *testing.T) {
	for _, tc := range []struct {
		method, target string
		want           int
	}{
		{"GET", "/playground/", 200},
		{"HEAD", "/playground/", 200},
		{"GET", "/playground/app.js", 200},
		{"GET", "/playground/graphiql.min.js", 200},
		{"GET", "/playground/LICENSES.txt", 200},
		{"GET", "/playground/config.json", 200},
		{"POST", "/playground/", 405},
		{"POST", "/playground/config.json", 405},
		{"GET", "/playground/index.html", 404},
		{"GET", "/playground/graphiql.min.js.gz", 404},
		{"GET", "/playground/nothing", 404},
		{"GET", "/playground/page/app.js", 404},
		{"GET", "/playground/%2e%2e/playground.go", 404},
		{"GET", "/", 404},
	} {
		t.Run(tc.method+" "+tc.target, func(t *testing.T) {
			r := do(Handler(Config{}), tc.method, tc.target)
			if r.StatusCode != tc.want {
				t.Errorf("status %d, want %d", r.StatusCode, tc.want)
			}
			checkSecurityHeaders(t, r.Header)
		})
	}
}

func checkSecurityHeaders(t *testing.T, h http.Header) {
	t.Helper()
	policy := h.Get("Content-Security-Policy")
	for _, directive := range []string{"default-src 'self'", "base-uri 'none'", "object-src 'none'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, directive) {
			t.Errorf("policy %q lacks %s", policy, directive)
		}
	}
	for _, opening := range []string{"script-src", "unsafe-eval", "http", "*"} {
		if strings.Contains(policy, opening) {
			t.Errorf("policy %q opens %s", policy, opening)
		}
	}
	if got := h.Get("X-Content-Type-Options"); got != "nosniff" {
		t.Errorf("X-Content-Type-Options %q", got)
	}
	if got := h.Get("Referrer-Policy"); got != "no-referrer" {
		t.Errorf("Referrer-Policy %q", got)
	}
}

// Every file has a type the browser accepts under nosniff, and both of its
// representations hold the same bytes.
func TestFiles(t *testing.T) {
	h := Handler(Config{})
	files := asset.Read(embedded, "page")
	maps.Copy(files, asset.Read(embedded, "assets"))
	for name := range files {
		name = strings.TrimSuffix(name, "index.html")
		t.Run("/"+name, func(t *testing.T) {
			plain := get(h, Path+name)
			if plain.Header.Get("Content-Type") == "" {
				t.Error("no content type")
			}
			if plain.Header.Get("Content-Encoding") != "" {
				t.Error("encoded without being asked")
			}
			want := body(t, plain)
			if want == "" {
				t.Error("empty")
			}
			zipped := get(h, Path+name, "Accept-Encoding", "br, gzip")
			if got := decoded(t, zipped); got != want {
				t.Error("the representations differ")
			}
		})
	}
}

func decoded(t *testing.T, r *http.Response) string {
	t.Helper()
	content := body(t, r)
	if r.Header.Get("Content-Encoding") != "gzip" {
		return content
	}
	z, err := gzip.NewReader(strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCaching(t *testing.T) {
	h := Handler(Config{})
	const asset = Path + "graphiql.min.js"
	plain := get(h, asset)
	zipped := get(h, asset, "Accept-Encoding", "gzip")
	if zipped.Header.Get("Content-Encoding") != "gzip" || zipped.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("headers %v", zipped.Header)
	}
	if plain.Header.Get("Vary") != "Accept-Encoding" {
		t.Error("the plain representation does not name what it varies by")
	}
	tag := plain.Header.Get("ETag")
	if tag == "" || tag == zipped.Header.Get("ETag") {
		t.Error("each representation needs an entity tag of its own")
	}
	again := get(h, asset, "If-None-Match", tag)
	if again.StatusCode != http.StatusNotModified || body(t, again) != "" {
		t.Errorf("status %d for a known tag", again.StatusCode)
	}
	if get(h, asset, "If-None-Match", `"other"`).StatusCode != http.StatusOK {
		t.Error("a foreign tag was taken for the same")
	}
	if got := plain.Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("asset: Cache-Control %q", got)
	}
	if got := get(h, Path+"config.json").Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("configuration: Cache-Control %q", got)
	}
}

var externalURL = regexp.MustCompile(`(?i)(https?:|wss?:)?//[a-z0-9][a-z0-9.-]*\.[a-z]{2,}|https?://|wss?://|@import|url\(`)

// A page served inside an agency's network asks no other host for anything.
func TestHandWrittenFilesNameNoOtherHost(t *testing.T) {
	entries, err := fs.ReadDir(embedded, "page")
	if err != nil || len(entries) == 0 {
		t.Fatal(err, len(entries))
	}
	for _, e := range entries {
		content, err := embedded.ReadFile(path.Join("page", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if found := externalURL.Find(content); found != nil {
			t.Errorf("%s names %s", e.Name(), found)
		}
		if e.Name() != "index.html" {
			continue
		}
		if regexp.MustCompile(`<script(>| [^>]*[^>]>[^<])|\son[a-z]+=|<style|\sstyle=`).Match(content) {
			t.Error("index.html holds inline script or style, which the policy is there to refuse")
		}
	}
}

var reference = regexp.MustCompile(`(?:src|href)="([^":.][^":]*)"|from "\./([^"]+)"|fetch\("([a-z]+\.json)"`)

// What the page asks for is there. What begins with ../ are endpoints of the server,
// which this package does not serve.
func TestReferencesResolve(t *testing.T) {
	h := Handler(Config{})
	seen := 0
	for _, name := range []string{"", "app.js"} {
		for _, m := range reference.FindAllStringSubmatch(body(t, get(h, Path+name)), -1) {
			seen++
			if r := get(h, Path+m[1]+m[2]+m[3]); r.StatusCode != http.StatusOK {
				t.Errorf("%s: status %d", m[0], r.StatusCode)
			}
		}
	}
	if seen < 12 {
		t.Errorf("found only %d references", seen)
	}
}

type view struct {
	Tenants  []string  `json:"tenants"`
	Clients  []Client  `json:"clients"`
	Examples []Example `json:"examples"`
}

func configOf(t *testing.T, cfg Config) (view, string) {
	t.Helper()
	r := get(Handler(cfg), Path+"config.json")
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("content type %q", got)
	}
	text := body(t, r)
	var v view
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v, text
}

func TestConfigEscapesMarkup(t *testing.T) {
	const tenant = `</script><script>alert("x")</script>`
	cfg := Config{Tenants: []string{tenant}, Examples: []Example{{Name: "<!--", Query: "{ a }\u2028"}}}
	v, text := configOf(t, cfg)
	if !slices.Equal(v.Tenants, cfg.Tenants) || !slices.Equal(v.Examples, cfg.Examples) {
		t.Errorf("changed on the way: %+v", v)
	}
	if strings.ContainsAny(text, "<>&\u2028") {
		t.Errorf("markup in %s", text)
	}
	if page := body(t, get(Handler(cfg), Path)); strings.Contains(page, "alert(") {
		t.Error("the configuration reached the HTML")
	}
}

func TestConfigRoundTrips(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tenants := rapid.SliceOf(rapid.String()).Draw(rt, "tenants")
		text := string(encodeConfig(Config{Tenants: tenants}))
		var v view
		if err := json.Unmarshal([]byte(text), &v); err != nil || !slices.Equal(v.Tenants, tenants) {
			rt.Errorf("got %q, %v", v.Tenants, err)
		}
		if strings.ContainsAny(text, "<>&") {
			rt.Errorf("markup in %s", text)
		}
	})
}

// The lists are never null: the page iterates over them.
func TestConfigOfNothing(t *testing.T) {
	_, text := configOf(t, Config{})
	if want := `{"tenants":[],"clients":[],"examples":[]}`; text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

func TestClientsAreForTheDemoOnly(t *testing.T) {
	cfg := Config{Clients: []Client{{ClientID: "demo", Secret: "demo-secret", Tenant: "demo"}}}
	if _, text := configOf(t, cfg); strings.Contains(text, "demo-secret") {
		t.Error("a secret was published outside of a demo")
	}
	cfg.Demo = true
	if v, _ := configOf(t, cfg); !slices.Equal(v.Clients, cfg.Clients) {
		t.Errorf("got %+v", v.Clients)
	}
}

// The page calls relative addresses, which needs the slash at the end.
func TestFolderWithoutSlash(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle(Path, Handler(Config{}))
	r := get(mux, "/playground")
	if r.StatusCode/100 != 3 || r.Header.Get("Location") != Path {
		t.Errorf("status %d to %q", r.StatusCode, r.Header.Get("Location"))
	}
}

func TestDefaultExamples(t *testing.T) {
	examples := append(DefaultExamples(`A"1`, "A2"), InsightExample("One", "one", map[string]any{}))
	files, err := fs.Glob(queries, "examples/*.graphql")
	if err != nil || len(examples) != len(files) {
		t.Errorf("%d examples for %d files, %v", len(examples), len(files), err)
	}
	for _, e := range examples {
		t.Run(e.Name, func(t *testing.T) {
			doc, err := parser.ParseQuery(&ast.Source{Name: e.Name, Input: e.Query})
			if err != nil {
				t.Fatal(err)
			}
			checkVariables(t, doc.Operations[0], e.Variables)
		})
	}
}

// checkVariables wants a value for every required variable, and none too many.
func checkVariables(t *testing.T, op *ast.OperationDefinition, text string) {
	t.Helper()
	values := map[string]any{}
	if text != "" {
		if err := json.NewDecoder(bytes.NewBufferString(text)).Decode(&values); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range op.VariableDefinitions {
		if _, given := values[v.Variable]; v.Type.NonNull && !given {
			t.Errorf("no value for $%s", v.Variable)
		}
		delete(values, v.Variable)
	}
	if len(values) > 0 {
		t.Errorf("values for no variable: %v", values)
	}
	if op.Operation == ast.Mutation && !strings.Contains(op.SelectionSet[0].(*ast.Field).Arguments.ForName("dryRun").Value.Raw, "true") {
		t.Error("a mutation among the examples has to be a dry run")
	}
}
