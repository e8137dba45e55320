package upline_test

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The architecture as tests. They parse the tree and compile nothing, so they
// also hold while a package does not build.

const module = "github.com/uplinehq/upline"

// everything, in a room, lets a package import the whole module.
const everything = "/..."

// room is a package, or with /... the packages below one, and what of the
// module it may import. Tests may import more, but never a command.
type room struct {
	name string
	may  []string
	why  string
}

// house lists every package of the module. The first row that fits counts.
var house = []room{
	{"cmd/...", []string{everything}, "commands wire everything together"},
	{"bench/...", []string{everything}, "benchmarks measure the whole, as a command runs it"},
	{"internal/app", []string{everything}, "the server put together, for the commands and for tests of the whole"},
	{"internal/app/apptest", []string{everything}, "a tool of tests of the whole"},
	{"internal/app/journey", []string{everything}, "stories across all areas, told through the doors"},

	{"ent/db/...", []string{"ent/db/...", "ent/schema", "ent/mixin", "internal/date"}, "the generated client knows the schema and its value types"},
	{"ent/schema", []string{"ent/mixin", "internal/date"}, "the generator loads the schema before it writes ent/db, so the schema cannot need ent/db"},
	{"ent/mixin", []string{"internal/date"}, "part of the schema"},
	{"ent/migrations", nil, "SQL files and nothing else"},

	{"graph", []string{"graph/...", areaPackages, "internal/insights/recipe", "ent/db/...", "internal/audit", "internal/bulk", "internal/bulkimport", "internal/clock", "internal/date", "internal/events", "internal/hierarchy", "internal/history", "internal/listing", "internal/live", "internal/page", "internal/patch",
		"internal/problem", "internal/sheet", "internal/store", "internal/tenant", "internal/vault"}, "resolvers translate between the schema and the areas; rules belong to an area, and REST comes in through the executor"},
	{"graph/generated", []string{"graph/model", "graph/scalar", "internal/date", "internal/onboarding"}, "what the generator needs to name"},
	{"graph/model", []string{"ent/db/...", areaPackages, "internal/insights/recipe", "internal/date", "internal/events", "internal/hierarchy", "internal/history", "internal/page"}, "views of what areas read; a model that called a service would be a resolver"},
	{"graph/scalar", []string{"internal/date", "internal/problem"}, "scalars are values, and refuse what is none"},
	{"graph/plan", []string{"internal/date", "internal/enum", "internal/history", "internal/page", "internal/store"}, "a plan reads cells and writes bytes; which columns and tables a type has is said by the table that it is given"},
	{"graph/loader", []string{"internal/history"}, "batching knows keys and what they are read as of, not what is loaded"},
	{"graph/limits", nil, "limits are computed from the schema and the operation alone"},
	{"graph/extract", []string{"graph/limits", "internal/problem", "internal/sheet"}, "what a query reads is compiled from the schema and the document alone, once the limits have measured it"},
	{"graph/transport", []string{"internal/clock", "internal/text"}, "the protocol is the same for any schema"},
	{"graph/playground", []string{"internal/asset"}, "the page uses the public endpoints as any client does"},

	{"rest", []string{"graph", "internal/audit", "internal/clock", "internal/date", "internal/enum", "internal/idempotency", "internal/oauth", "internal/problem", "internal/sheet", "internal/tenant", "internal/text", "internal/version"}, "REST runs stored operations on the executable schema: past it, with ent or an area, directives, limits and loaders would be skipped, authorization among them"},
	{"rest/resttest", []string{"rest"}, "a tool of the tests of rest"},

	{"mcp", []string{"internal/tenant", "rest"}, "its tools are the stored operations, and queries that it is handed a function for: what an assistant may do is said where REST and GraphQL say it"},

	{"internal/asset", nil, "it serves files, whatever page they are of"},
	{"internal/workbench", []string{"internal/asset"}, "the page uses the public endpoints as any client does"},
	{"internal/reference", []string{"internal/asset"}, "the page reads the published document as any client does"},

	{"internal/date", nil, "a value type that everything else is built on"},
	{"internal/problem", nil, "the one error type: it cannot know who returns it"},
	{"internal/enum", []string{"internal/problem"}, "how a text becomes one of several values; which values there are says who owns the type"},
	{"internal/patch", nil, "a value type"},
	{"internal/check", []string{"internal/date", "internal/enum", "internal/patch", "internal/problem", "internal/text", "internal/vault"}, "rules of texts that hold in every area; which letters of an identifier count, vault says"},
	{"internal/sheet", []string{"internal/enum", "internal/problem"}, "a table is rows and columns, wherever they come from"},
	{"internal/text", nil, "what every area takes a text for"},
	{"internal/tenant", []string{"internal/enum"}, "everything below asks it who is calling"},
	{"internal/clock", []string{"internal/date"}, "a leaf: it says what day it is"},
	{"internal/admission", []string{"internal/clock"}, "it counts, whoever asks for whatever: the doors say what a refusal looks like"},
	{"internal/history", []string{"internal/date", "internal/problem"}, "pure functions: no input or output, and no hidden today"},
	{"internal/vault", []string{}, "encryption knows its keysets and bytes, not what the bytes mean"},
	{"internal/page", []string{"internal/date", "internal/problem", "internal/store"}, "paging adds clauses to a statement of the store"},
	{"internal/listing", []string{"internal/page", "internal/store", "internal/tenant"}, "a list of whatever rows an area describes"},
	{"internal/store", []string{"ent/db/...", "ent/migrations", "internal/admission", "internal/clock", "internal/date", "internal/tenant"}, "the store knows tables and tenants, no business; who gets a connection next admission says"},
	{"internal/store/dbtest", []string{"internal/store"}, "it makes databases, not data"},
	{"internal/live", []string{"internal/tenant"}, "it hands out rows of any kind; reading them is the business of their package"},
	{"internal/version", []string{"internal/problem"}, "a demand of a request, for whoever can check it"},
	{"internal/idempotency", []string{"internal/clock", "internal/problem", "internal/store", "internal/tenant", "internal/vault"}, "the key of a request is a row beside its change; what the request means does not matter"},
	{"internal/events", []string{"internal/date", "internal/live", "internal/page", "internal/problem", "internal/store", "internal/tenant"}, "an event is a row beside the change; what it tells of is its writer's business"},
	{"internal/audit", []string{"internal/clock", "internal/enum", "internal/listing", "internal/page", "internal/problem", "internal/store", "internal/tenant", "internal/text", "internal/vault"}, "an audit entry is a row beside the change, sealed by the tenant's key"},
	{"internal/bulk", []string{"internal/check", "internal/date", "internal/patch", "internal/problem", "internal/sheet", "internal/text"}, "it reads rows of whatever an area describes, and writes nothing; what sheet guards in a file it takes as it was"},
	{"internal/bulkimport", []string{"internal/audit", "internal/bulk", "internal/check", "internal/clock", "internal/enum", "internal/events", "internal/problem", "internal/store", "internal/tenant", "internal/text", "internal/vault"}, "how a file of any entity is brought in; what its rows mean an area knows, which it calls through an interface"},
	{"internal/change", []string{"internal/audit", "internal/clock", "internal/date", "internal/events", "internal/idempotency", "internal/store", "internal/tenant", "internal/vault", "internal/version"}, "how a change of any area is written, whatever it changes"},
	{"internal/reencryption", []string{"internal/store", "internal/tenant", "internal/vault"}, "columns of any area; whose they are does not matter"},
	{"internal/hierarchy", []string{"ent/db/...", "internal/clock", "internal/date", "internal/enum", "internal/events", "internal/history", "internal/listing", "internal/page", "internal/problem", "internal/store", "internal/tenant", "internal/text"}, "areas call the hierarchy, not the other way round"},
	{"internal/oauth", []string{"ent/db/...", "internal/clock", "internal/problem", "internal/store"}, "it says who is calling; what a scope allows stands in the schema"},
	{"internal/tenants", []string{"ent/db/...", "internal/clock", "internal/date", "internal/hierarchy", "internal/problem", "internal/store", "internal/tenant", "internal/text", "internal/vault"}, "tenants exist before there is any business in them"},
	{"internal/demo", []string{areaPackages, "ent/db/...", "internal/clock", "internal/date", "internal/hierarchy", "internal/problem", "internal/store", "internal/tenant", "internal/tenants", "internal/vault"}, "made-up data is loaded as an import is, below the doors"},
	{"internal/doctor", []string{areaPackages, "internal/audit", "internal/bulkimport", "internal/clock", "internal/date", "internal/enum", "internal/hierarchy", "internal/reencryption", "internal/sheet", "internal/store", "internal/tenant", "internal/tenants", "internal/vault"}, "it asks everybody who stores something what of it is right"},
	{"internal/telemetry", nil, "it sends what there is, whatever it is of"},
	{"internal/gen", nil, "the generator runs when ent/db does not build"},
	{"internal/insights/recipe", []string{"ent/db/...", "internal/change", "internal/check", "internal/clock", "internal/date", "internal/history", "internal/insights", "internal/listing", "internal/page", "internal/problem", "internal/store", "internal/tenant", "internal/text", "internal/vault"}, "a part of the area insights"},
	{areaPackages, []string{"ent/db/...", "internal/audit", "internal/change", "internal/check", "internal/clock", "internal/date", "internal/enum", "internal/events", "internal/hierarchy", "internal/history", "internal/idempotency", "internal/listing", "internal/live", "internal/page", "internal/patch",
		"internal/bulk", "internal/problem", "internal/reencryption", "internal/sheet", "internal/store", "internal/tenant", "internal/text", "internal/vault", "internal/version"}, "an area knows neither door, and another area only through an interface of its own or an event"},
	{".", nil, "the root holds the generators and these tests"},
}

// areaPackages stands for the packages of the areas in a room.
const areaPackages = "(areas)"

var areas = []string{"internal/agency", "internal/onboarding", "internal/identity", "internal/webhooks", "internal/insights", "internal/export"}

// fits reports whether a package, as its path in the module, is the one that a
// pattern names.
func fits(pattern, pkg string) bool {
	if pattern == areaPackages {
		return slices.Contains(areas, pkg)
	}
	if below, ok := strings.CutSuffix(pattern, "/..."); ok {
		return below == "" || pkg == below || strings.HasPrefix(pkg, below+"/")
	}
	return pattern == pkg
}

func fitsAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return fits(p, pkg) })
}

func roomOf(pkg string) (room, bool) {
	i := slices.IndexFunc(house, func(r room) bool { return fits(r.name, pkg) })
	if i < 0 {
		return room{}, false
	}
	return house[i], true
}

// TestArrows holds who may import whom inside the module.
func TestArrows(t *testing.T) {
	missing := map[string]bool{}
	for _, f := range tree(t) {
		r, ok := roomOf(f.pkg)
		if !ok && !missing[f.pkg] {
			missing[f.pkg] = true
			t.Errorf("%s: the package has no row in the table house", f.pkg)
		}
		for _, imported := range f.imports {
			to, inModule := strings.CutPrefix(imported, module+"/")
			switch {
			case !inModule:
			case fits("cmd/...", to), to == "internal/app" && !f.test && !fitsAny([]string{"cmd/...", "bench/...", "internal/app/apptest"}, f.pkg):
				t.Errorf("%s imports %s: the wiring is above everything else", f.path, to)
			case f.test || !ok || fitsAny(r.may, to):
			case fitsAny(testTools, to):
				t.Errorf("%s imports %s: it is a tool for tests only", f.path, to)
			default:
				t.Errorf("%s imports %s: %s", f.path, to, r.why)
			}
		}
	}
}

var testTools = []string{"internal/store/dbtest", "internal/app/apptest", "rest/resttest"}

// gate names who may import packages from outside the module. Tests may import
// what they like.
type gate struct {
	prefixes []string
	may      []string
	why      string
}

var gates = []gate{
	{[]string{"github.com/jackc/pgx", "modernc.org/", "github.com/pressly/goose", "github.com/riverqueue/river/riverdriver", "github.com/riverqueue/river/rivermigrate"},
		// dbtest makes and drops databases, which a Store cannot do; bench
		// compares with a handler written on the driver.
		[]string{"internal/store", "internal/store/dbtest", "bench/..."}, "every difference between the databases lives in internal/store"},
	{[]string{"github.com/riverqueue/river"}, []string{"internal/store", "internal/hierarchy", "internal/webhooks", "internal/export", "internal/jobs", "internal/app", "cmd/..."}, "jobs are inserted through store.Tx and worked where they are declared"},
	{[]string{"entgo.io/ent"}, []string{"ent/...", "internal/store", "internal/gen"}, "areas use the generated client; predicates by hand go into a statement of the store"},
	{[]string{"github.com/99designs/gqlgen", "github.com/vektah/gqlparser"}, []string{"graph/...", "rest/...", "internal/app", "cmd/..."}, "GraphQL ends at the door"},
	{[]string{"github.com/coder/websocket"}, []string{"graph/transport"}, "GraphQL is the only protocol that is spoken over a WebSocket"},
	{[]string{"github.com/modelcontextprotocol/"}, []string{"mcp"}, "the protocol ends at its door"},
	{[]string{"github.com/go-chi/"}, []string{"rest/...", "internal/app", "cmd/..."}, "routing ends at the door"},
	{[]string{"github.com/tink-crypto/"}, []string{"internal/vault"}, "keys are handled in one place"},
	{[]string{"github.com/golang-jwt/", "github.com/MicahParks/"}, []string{"internal/oauth", "internal/app", "cmd/..."}, "tokens are read in one place"},
	{[]string{"github.com/xuri/"}, []string{"internal/sheet"}, "workbooks are written in one place"},
	{[]string{"github.com/alecthomas/kong"}, []string{"cmd/..."}, "flags end at the command"},
	{[]string{"testing", "net/http/httptest", "pgregory.net/rapid"}, append([]string{"ent/db/enttest", "bench/..."}, testTools...), "tools of tests do not belong into the program"},
}

// TestGates holds who may import which packages from outside the module.
func TestGates(t *testing.T) {
	for _, f := range tree(t) {
		if f.test {
			continue
		}
		for _, imported := range f.imports {
			i := slices.IndexFunc(gates, func(g gate) bool {
				return slices.ContainsFunc(g.prefixes, func(p string) bool {
					return imported == p || strings.HasPrefix(imported, strings.TrimSuffix(p, "/")+"/")
				})
			})
			if i >= 0 && !fitsAny(gates[i].may, f.pkg) {
				t.Errorf("%s imports %s: %s", f.path, imported, gates[i].why)
			}
		}
	}
}

// TestNoHTTPBelowTheDoors: what a request does must not depend on the door it
// came through. Webhooks is an HTTP client; oauth serves the token endpoint.
func TestNoHTTPBelowTheDoors(t *testing.T) {
	allowed := []string{"cmd/...", "bench/...", "graph", "graph/transport", "graph/playground", "rest/...", "internal/app/...", "internal/asset", "internal/oauth", "internal/reference", "internal/webhooks", "internal/workbench", "mcp"}
	for _, f := range tree(t) {
		if !f.test && slices.Contains(f.imports, "net/http") && !fitsAny(allowed, f.pkg) {
			t.Errorf("%s imports net/http", f.path)
		}
	}
}

// TestPackageComments: every package has exactly one package comment, so that
// there is one place to look. Packages of generated files only are their
// generator's business.
func TestPackageComments(t *testing.T) {
	comments, written := map[string][]string{}, map[string]bool{}
	for _, f := range tree(t) {
		if f.test || f.generated {
			continue
		}
		written[f.pkg] = true
		if f.syntax.Doc != nil {
			comments[f.pkg] = append(comments[f.pkg], f.path)
		}
	}
	for pkg := range written {
		switch in := comments[pkg]; len(in) {
		case 0:
			t.Errorf("%s has no package comment", pkg)
		case 1:
		default:
			t.Errorf("%s has several package comments: %s", pkg, strings.Join(in, ", "))
		}
	}
}

// file is a Go file of the tree.
type file struct {
	path      string // from the root of the module, with slashes
	pkg       string // its folder, "." for the root
	test      bool
	generated bool
	imports   []string
	syntax    *ast.File // of a generated file only the imports
}

var files = token.NewFileSet()

var readTree = sync.OnceValues(func() (tree []*file, err error) {
	err = filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		f, err := readFile(filepath.ToSlash(p))
		tree = append(tree, f)
		return err
	})
	return tree, err
})

// tree returns every Go file of the module.
func tree(t *testing.T) []*file {
	t.Helper()
	all, err := readTree()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func readFile(p string) (*file, error) {
	f := &file{path: p, pkg: path.Dir(p), test: strings.HasSuffix(p, "_test.go")}
	var err error
	if f.generated, err = hasGeneratedHeader(p); err != nil {
		return f, err
	}
	mode := parser.ParseComments
	if f.generated {
		mode = parser.ImportsOnly
	}
	if f.syntax, err = parser.ParseFile(files, p, nil, mode); err != nil {
		return f, err
	}
	for _, s := range f.syntax.Imports {
		imported, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			return f, err
		}
		f.imports = append(f.imports, imported)
	}
	return f, nil
}

// generatedHeader is the form that the Go tools know.
var generatedHeader = regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.$`)

func hasGeneratedHeader(p string) (bool, error) {
	f, err := os.Open(p)
	if err != nil {
		return false, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if generatedHeader.MatchString(lines.Text()) {
			return true, nil
		}
		if strings.HasPrefix(lines.Text(), "package ") {
			break
		}
	}
	return false, lines.Err()
}
