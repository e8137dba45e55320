package upline_test

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMakefileNamesTests: the Makefile says by their names which tests "make test" leaves
// to "make test-outside" and "make proof". A name that no test has would be a test that
// was renamed and forgotten; whatever runs the programs of clients is not for Go alone.
func TestMakefileNamesTests(t *testing.T) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	named := func(variable string) []string {
		found := regexp.MustCompile(`(?m)^` + variable + ` = (.+)$`).FindStringSubmatch(string(text))
		if found == nil {
			t.Fatalf("the Makefile has no %s", variable)
		}
		return strings.Split(found[1], "|")
	}
	outside, there := named("OUTSIDE"), map[string]bool{}
	for _, f := range handWritten(t) {
		if !f.test {
			continue
		}
		runs := selections(f, module+"/app/clientstest")
		for _, d := range f.syntax.Decls {
			test, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(test.Name.Name, "Test") {
				continue
			}
			there[test.Name.Name] = true
			for _, s := range runs {
				if s.Pos() > test.Pos() && s.End() < test.End() && !slices.Contains(outside, test.Name.Name) {
					t.Errorf("%s calls clientstest.%s: it belongs to OUTSIDE of the Makefile", test.Name.Name, s.Sel.Name)
				}
			}
		}
	}
	for _, name := range append(outside, named("PROOF")...) {
		if !there[name] {
			t.Errorf("the Makefile names %s, which there is not", name)
		}
	}
}
