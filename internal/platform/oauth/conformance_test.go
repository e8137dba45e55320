package oauth_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	conformanceRow = regexp.MustCompile("(?m)^\\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\| `(Test\\w+)(?:/([^`]+))?` \\|$")
	testOfRFC      = regexp.MustCompile(`(?m)^func (Test(?:RFC|OpenID)\w+)\(`)
)

// Every row of docs/conformance.md names a test, or a case of one, that exists;
// every test named after an RFC, or OpenID, has a row.
func TestConformanceTable(t *testing.T) {
	text, err := os.ReadFile("../../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	sources, named := testsOf(t)
	rows, has := conformanceRow.FindAllStringSubmatch(string(text), -1), map[string]bool{}
	lines := strings.Count(string(text), "\n| ")
	if heads := 2 * strings.Count(string(text), "\n| --- "); len(rows) != lines-heads || len(rows) < 200 {
		t.Errorf("%d of %d rows can be read", len(rows), lines-heads)
	}
	for _, row := range rows {
		name, kase := row[4], row[5]
		has[name] = true
		if source, ok := sources[name]; !ok || !strings.Contains(source, `{"`+kase) && kase != "" {
			t.Errorf("%s §%s: there is no %s %s", row[1], row[2], name, kase)
		}
	}
	for _, name := range named {
		if !has[name] {
			t.Errorf("%s has no row", name)
		}
	}
}

// Every test that docs/asvs.md names exists, and every requirement has one row.
func TestASVSTable(t *testing.T) {
	text, err := os.ReadFile("../../../docs/asvs.md")
	if err != nil {
		t.Fatal(err)
	}
	sources, _ := testsOf(t)
	for _, name := range testName.FindAllStringSubmatch(string(text), -1) {
		if _, ok := sources[name[1]]; !ok {
			t.Errorf("there is no %s", name[1])
		}
	}
	rows := map[string]int{}
	for _, row := range asvsRow.FindAllStringSubmatch(string(text), -1) {
		if rows[row[1]]++; rows[row[1]] > 1 {
			t.Errorf("%s has two rows", row[1])
		}
	}
	if len(rows) != 253 { // levels 1 and 2 of version 5.0.0
		t.Errorf("%d requirements have a row", len(rows))
	}
}

var (
	testName = regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	asvsRow  = regexp.MustCompile(`(?m)^\| (\d+\.\d+\.\d+) \|[^|]+\|[^|]+\|$`)
)

// testsOf returns the sources of all tests, by name, and the names of those that are named
// after an RFC or OpenID.
func testsOf(t *testing.T) (sources map[string]string, named []string) {
	t.Helper()
	sources = map[string]string{}
	err := filepath.WalkDir("../../..", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, part := range strings.Split("\n"+string(source), "\nfunc ")[1:] {
			name, _, _ := strings.Cut(part, "(")
			sources[name] = part
		}
		for _, m := range testOfRFC.FindAllStringSubmatch(string(source), -1) {
			named = append(named, m[1])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources, named
}
