package oauth_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	conformanceRow = regexp.MustCompile("(?m)^\\| (\\d+|OpenID \\w+) \\| ([0-9.]+) \\| ([^|]+) \\| `(Test\\w+)(?:/([^`]+))?` \\|$")
	anyRow         = regexp.MustCompile(`(?m)^\| (?:\d+|OpenID \w+) \|.*$`)
	testOfRFC      = regexp.MustCompile(`(?m)^func (Test(?:RFC|OpenID)\w+)\(`)
)

// Every row of docs/conformance.md names a test, or a case of one, that exists;
// every test named after an RFC, or OpenID, has a row.
func TestConformanceTable(t *testing.T) {
	text, err := os.ReadFile("../../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{} // by test
	var named []string
	for _, folder := range []string{".", "../../../app", "../../identity", "../../../rest", "../../../graph"} {
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", folder, len(files), err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range strings.Split("\n"+string(source), "\nfunc ")[1:] {
				name, _, _ := strings.Cut(part, "(")
				sources[name] = part
			}
			for _, m := range testOfRFC.FindAllStringSubmatch(string(source), -1) {
				named = append(named, m[1])
			}
		}
	}
	rows, has := conformanceRow.FindAllStringSubmatch(string(text), -1), map[string]bool{}
	if all := anyRow.FindAllString(string(text), -1); len(rows) != len(all) || len(rows) < 50 {
		t.Errorf("%d of %d rows can be read", len(rows), len(all))
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
