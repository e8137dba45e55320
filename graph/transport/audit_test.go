package transport_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The suite whose audits are ported below, as npm names its packages.
var suitePackages = []string{"graphql-http@1.23.1", "graphql@16"}

const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
)

// audit is one audit of the suite: a request and what its answer must be.
type audit struct {
	id, name string
	method   string // POST unless set
	query    string // sent in the URL of a GET
	vars     string // sent in the URL of a GET
	accept   string
	noType   bool   // without a Content-Type
	charset  string // added to the Content-Type
	body     string

	status    [2]int // lowest and highest allowed
	mediaType string
	noErrors  bool
	noData    bool
}

var (
	ok          = [2]int{200, 200}
	bad         = [2]int{400, 400}
	refused     = [2]int{400, 499}
	failed      = [2]int{400, 599}
	typename    = `{"query":"{ __typename }"}`
	typeByName  = `query Type($name: String!) { __type(name: $name) { name } }`
	unknown     = `{"query":"{ 8f31403dfe404bccbb0e835f2629c6a7 }"}`
	unparsable  = `{"query":"{"}`
	coerce      = `{"query":"query CoerceFailure($id: ID!){ __typename }","variables":{"id":null}}`
	named       = `{"operationName":"Query","query":"query Query { __typename }"}`
	withVars    = `{"query":"` + typeByName + `","variables":{"name":"sometype"}}`
	withExt     = `{"query":"{ __typename }","extensions":{"some":"value"}}`
	misspelled  = `{"qeury":"{ __typename }"}`
	notJSON     = `{ "not a JSON`
	wrongString = []string{`{"obj":"ect"}`, `0`, `false`, `["array"]`}
	wrongObject = []string{`"string"`, `0`, `false`, `["array"]`}
)

// audits are the 61 server audits of the graphql-http suite.
func audits() []audit {
	list := []audit{
		{id: "22EB", name: "accepts application/graphql-response+json and matches the content-type", accept: mediaGraphQL, body: typename, status: ok, mediaType: mediaGraphQL},
		{id: "4655", name: "accepts application/json and matches the content-type", accept: mediaJSON, body: typename, status: ok, mediaType: mediaJSON},
		{id: "47DE", name: "accepts */* and uses application/json", accept: "*/*", body: typename, status: ok, mediaType: mediaJSON},
		{id: "80D8", name: "assumes application/json when accept is missing", body: typename, status: ok, mediaType: mediaJSON},
		{id: "82A3", name: "uses utf-8 when responding", body: typename, status: ok},
		{id: "BF61", name: "accepts a utf-8 encoded request", charset: "; charset=utf-8", body: `{"query":"{ __type(name: \"Run🏃Swim🏊\") { name } }"}`, status: ok},
		{id: "78D5", name: "assumes utf-8 if the encoding is unspecified", body: typename, status: ok},
		{id: "2C94", name: "accepts POST", body: typename, status: ok},
		{id: "5A70", name: "accepts GET", method: "GET", query: "{ __typename }", status: ok},
		{id: "9C48", name: "does not execute a mutation on GET", method: "GET", query: "mutation { __typename }", accept: mediaGraphQL, status: refused},
		{id: "9ABE", name: "4xx when content-type is not supplied on POST", noType: true, body: typename, status: refused},
		{id: "03D4", name: "accepts application/json POST", body: typename, status: ok},
		{id: "A5BF", name: "400 when the body is missing on POST", status: bad},
		{id: "423L", name: "400 on missing query", accept: mediaGraphQL, body: `{"notquery":"{ __typename }"}`, status: bad},
		{id: "34A2", name: "allows string query, graphql-response+json", accept: mediaGraphQL, body: typename, status: ok},
		{id: "13EE", name: "allows string query, json", accept: mediaJSON, body: typename, status: ok, noErrors: true},
		{id: "8161", name: "allows string operationName, graphql-response+json", accept: mediaGraphQL, body: named, status: ok},
		{id: "B8B3", name: "allows string operationName, json", accept: mediaJSON, body: named, status: ok, noErrors: true},
		{id: "2EA1", name: "allows map variables, graphql-response+json", accept: mediaGraphQL, body: withVars, status: ok},
		{id: "28B9", name: "allows map variables, json", accept: mediaJSON, body: withVars, status: ok, noErrors: true},
		{id: "D6D5", name: "allows URL-encoded variables, graphql-response+json", method: "GET", query: typeByName, vars: `{"name":"sometype"}`, accept: mediaGraphQL, status: ok},
		{id: "6A70", name: "allows URL-encoded variables, json", method: "GET", query: typeByName, vars: `{"name":"sometype"}`, accept: mediaJSON, status: ok, noErrors: true},
		{id: "428F", name: "allows map extensions, graphql-response+json", accept: mediaGraphQL, body: withExt, status: ok, noErrors: true},
		{id: "1B7A", name: "allows map extensions, json", accept: mediaJSON, body: withExt, status: ok, noErrors: true},
		{id: "B6DC", name: "2xx, 4xx or 5xx on JSON parsing failure, json", accept: mediaJSON, body: notJSON, status: failed},
		{id: "BCF8", name: "400 on JSON parsing failure, json", accept: mediaJSON, body: notJSON, status: bad},
		{id: "B7N8", name: "400 on JSON parsing failure, graphql-response+json", accept: mediaGraphQL, body: notJSON, status: bad},
		{id: "8764", name: "4xx or 5xx if parameters are invalid", body: misspelled, status: failed},
		{id: "3E3A", name: "400 if parameters are invalid", body: misspelled, status: bad},
		{id: "572B", name: "200 on document parsing failure, json", accept: mediaJSON, body: unparsable, status: ok},
		{id: "FDE2", name: "200 on document validation failure, json", accept: mediaJSON, body: unknown, status: ok},
		{id: "7B9B", name: "200 on variable coercion failure, json", accept: mediaJSON, body: coerce, status: ok},
		{id: "865D", name: "4xx or 5xx on document parsing failure, graphql-response+json", accept: mediaGraphQL, body: unparsable, status: failed},
		{id: "556A", name: "400 on document parsing failure, graphql-response+json", accept: mediaGraphQL, body: unparsable, status: bad},
		{id: "D586", name: "no data on document parsing failure, graphql-response+json", accept: mediaGraphQL, body: unparsable, status: bad, noData: true},
		{id: "51FE", name: "4xx or 5xx on document validation failure, graphql-response+json", accept: mediaGraphQL, body: unknown, status: failed},
		{id: "74FF", name: "400 on document validation failure, graphql-response+json", accept: mediaGraphQL, body: unknown, status: bad},
		{id: "5E5B", name: "no data on document validation failure, graphql-response+json", accept: mediaGraphQL, body: unknown, status: bad, noData: true},
		{id: "86EE", name: "400 on variable coercion failure, graphql-response+json", accept: mediaGraphQL, body: coerce, status: bad},
	}
	for i := range 4 {
		n := string(rune('0' + i))
		list = append(list,
			audit{id: "LKJ" + n, name: "400 on query " + wrongString[i], body: `{"query":` + wrongString[i] + `}`, status: bad},
			audit{id: "6C0" + n, name: "400 on operationName " + wrongString[i], body: `{"query":"{ __typename }","operationName":` + wrongString[i] + `}`, status: bad},
			audit{id: "476" + n, name: "400 on variables " + wrongObject[i], body: `{"query":"{ __typename }","variables":` + wrongObject[i] + `}`, status: bad},
			audit{id: "58B" + n, name: "400 on extensions " + wrongObject[i], body: `{"query":"{ __typename }","extensions":` + wrongObject[i] + `}`, status: bad},
		)
	}
	for i, parameter := range []string{"variables", "operationName", "extensions"} {
		n, body := string(rune('0'+i)), `{"query":"{ __typename }","`+parameter+`":null}`
		list = append(list,
			audit{id: "94B" + n, name: "allows null " + parameter + ", graphql-response+json", accept: mediaGraphQL, body: body, status: ok, noErrors: true},
			audit{id: "022" + n, name: "allows null " + parameter + ", json", accept: mediaJSON, body: body, status: ok, noErrors: true},
		)
	}
	return list
}

func TestAudits(t *testing.T) {
	server, _, _ := newServer(t)
	if n := len(audits()); n != 61 {
		t.Fatalf("%d audits are ported, want all 61", n)
	}
	for _, a := range audits() {
		t.Run(a.id+" "+a.name, func(t *testing.T) { a.check(t, server.URL) })
	}
}

func (a audit) check(t *testing.T, endpoint string) {
	response, err := http.DefaultClient.Do(a.request(t, endpoint))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if s := response.StatusCode; s < a.status[0] || s > a.status[1] {
		t.Errorf("status = %d, want %v; body %s", s, a.status, body)
	}
	if got := response.Header.Get("Content-Type"); !strings.Contains(got, a.mediaType) {
		t.Errorf("Content-Type = %q, want %s", got, a.mediaType)
	}
	result := map[string]any{}
	if err := json.Unmarshal(body, &result); err != nil || !utf8.Valid(body) {
		t.Errorf("body is not JSON in UTF-8: %s", body)
	}
	if _, has := result["errors"]; has && a.noErrors {
		t.Errorf("body has errors: %s", body)
	}
	if _, has := result["data"]; has && a.noData {
		t.Errorf("body has data: %s", body)
	}
}

func (a audit) request(t *testing.T, endpoint string) *http.Request {
	method, body := "POST", io.Reader(strings.NewReader(a.body))
	if a.method == "GET" {
		values := url.Values{"query": {a.query}}
		if a.vars != "" {
			values.Set("variables", a.vars)
		}
		method, body, endpoint = "GET", nil, endpoint+"?"+values.Encode()
	}
	r, err := http.NewRequest(method, endpoint, body)
	if err != nil {
		t.Fatal(err)
	}
	if method == "POST" && !a.noType {
		r.Header.Set("Content-Type", mediaJSON+a.charset)
	}
	if a.accept != "" {
		r.Header.Set("Accept", a.accept)
	}
	return r
}

// TestPublicSuite runs the suite itself, so that the port above cannot drift
// from it. It needs Node and the two npm packages: from the directory
// UPLINE_TEST_GRAPHQL_HTTP, else installed once into the user's cache.
// UPLINE_TEST_REQUIRE=node makes it a failure when they are missing.
func TestPublicSuite(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, "Node is not installed")
	}
	server, _, _ := newServer(t)
	out, err := exec.Command(node, "testdata/audit.mjs", suiteDirectory(t), server.URL).Output()
	if err != nil {
		t.Fatalf("the suite did not run: %v", err)
	}
	var results []struct{ ID, Name, Status, Reason string }
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatal(err)
	}
	suite := map[string]bool{}
	for _, r := range results {
		suite[r.ID] = true
		if r.Status != "ok" {
			t.Errorf("%s %s: %s: %s", r.ID, r.Name, r.Status, r.Reason)
		}
	}
	ported := map[string]bool{}
	for _, a := range audits() {
		ported[a.id] = true
	}
	if !maps.Equal(suite, ported) {
		t.Errorf("the suite has %d audits and the port %d, or they differ", len(suite), len(ported))
	}
	t.Logf("%d audits of %s ran", len(results), suitePackages[0])
}

// suiteDirectory returns a directory whose node_modules holds the suite.
func suiteDirectory(t *testing.T) string {
	if dir := os.Getenv("UPLINE_TEST_GRAPHQL_HTTP"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		missing(t, "there is no cache directory for the npm packages: "+err.Error())
	}
	dir := filepath.Join(cache, "upline-test", strings.ReplaceAll(suitePackages[0], "@", "-"))
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return dir
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		missing(t, "npm is not installed")
	}
	// Installed beside and renamed: a run that is cut short leaves nothing
	// that looks complete.
	fresh, err := os.MkdirTemp(mustDirectory(t, filepath.Dir(dir)), "install-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	arguments := []string{"install", "--prefix", fresh, "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1"}
	if out, err := exec.Command(npm, append(arguments, suitePackages...)...).CombinedOutput(); err != nil {
		missing(t, "npm could not install "+strings.Join(suitePackages, " ")+": "+string(out))
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mustDirectory(t *testing.T, dir string) string {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func missing(t *testing.T, what string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("UPLINE_TEST_REQUIRE"), ","), "node") {
		t.Fatal(what)
	}
	t.Skip("the public graphql-http suite was not run: " + what)
}
