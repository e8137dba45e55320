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

// areaPackages stands for the packages of the areas in a room.
const areaPackages = "(areas)"

var areas = []string{"internal/agency/...", "internal/onboarding", "internal/identity", "internal/webhooks", "internal/insights", "internal/exchange/export"}

// fits reports whether a package, as its path in the module, is the one that a
// pattern names.
func fits(pattern, pkg string) bool {
	if pattern == areaPackages {
		return fitsAny(areas, pkg)
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
			case fits("cmd/...", to), to == "app" && !f.test && !fitsAny([]string{"cmd/...", "bench/...", "app/apptest"}, f.pkg):
				t.Errorf("%s imports %s: the wiring is above everything else", f.path, to)
			case f.test && fits("internal/...", f.pkg) && to == "app/apptest":
				t.Errorf("%s imports %s: beside a test of the package itself everything between the two would be compiled again; such tests are in proof", f.path, to)
			case f.test || !ok || fitsAny(r.may, to):
			case fitsAny(testTools, to):
				t.Errorf("%s imports %s: it is a tool for tests only", f.path, to)
			default:
				t.Errorf("%s imports %s: %s", f.path, to, r.why)
			}
		}
	}
}

var testTools = []string{"app/clientstest", "internal/platform/store/dbtest", "app/apptest", "rest/resttest"}

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
		[]string{"internal/platform/store", "internal/platform/store/prepared", "internal/platform/store/dbtest", "internal/platform/store/dberror", "bench/..."}, "every difference between the databases lives in internal/platform/store"},
	{[]string{"github.com/riverqueue/river"}, []string{"internal/platform/store", "internal/hierarchy", "internal/webhooks", "internal/exchange/export", "app", "app/jobs", "cmd/..."}, "jobs are inserted through store.Tx and worked where they are declared"},
	{[]string{"entgo.io/ent"}, []string{"ent/...", "cmd/generate"}, "ent describes what is stored; areas write statements"},
	{[]string{"github.com/99designs/gqlgen", "github.com/vektah/gqlparser"}, []string{"graph/...", "rest/...", "app", "cmd/...", "bench/..."}, "GraphQL ends at the door"},
	{[]string{"github.com/coder/websocket"}, []string{"graph/transport"}, "GraphQL is the only protocol that is spoken over a WebSocket"},
	{[]string{"github.com/modelcontextprotocol/"}, []string{"mcp"}, "the protocol ends at its door"},
	{[]string{"github.com/go-chi/"}, []string{"rest/...", "app", "app/edge", "cmd/..."}, "routing ends at the door"},
	{[]string{"github.com/tink-crypto/"}, []string{"internal/platform/vault"}, "keys are handled in one place"},
	{[]string{"github.com/golang-jwt/", "github.com/MicahParks/"}, []string{"internal/platform/oauth/...", "app", "cmd/..."}, "tokens are read in one place"},
	{[]string{module + "/ent/db/migrate"}, nil, "tables are created by migrations: what ent creates them with comes with a language of its own, three megabytes of source"},
	{[]string{"github.com/xuri/"}, nil, "a workbook is a few lines of XML; tests read it with somebody else's reader"},
	{[]string{"github.com/alecthomas/kong"}, []string{"cmd/..."}, "flags end at the command"},
	{[]string{"testing", "net/http/httptest", "pgregory.net/rapid", "github.com/anishathalye/porcupine"}, append([]string{"bench/..."}, testTools...), "tools of tests do not belong into the program"},
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
// came through. Webhooks is an HTTP client, and outbound what it dials with; oauth serves the token endpoint, and a refusal
// of a token has a status.
func TestNoHTTPBelowTheDoors(t *testing.T) {
	allowed := []string{"cmd/...", "bench/...", "graph", "graph/resolve", "graph/follow", "graph/transport", "graph/playground", "rest/...", "app/...", "internal/platform/asset", "internal/platform/oauth/...", "internal/platform/outbound", "app/pages/reference", "internal/webhooks", "app/pages/workbench", "mcp"}
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
		case d.IsDir() && p != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || isModule(p)):
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

// isModule reports whether a folder below this module is one of its own.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

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
