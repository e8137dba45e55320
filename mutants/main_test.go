package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every patch fits the program, and its package has the tests that are expected to find
// it: "make mutants" is run rarely, and a patch that does not apply tells nothing.
func TestPatchesFit(t *testing.T) {
	t.Chdir("..")
	all, err := readAll(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if out, err := exec.Command("git", "apply", "--check", "-C1", m.patch).CombinedOutput(); err != nil {
			t.Errorf("%s: %s", m.patch, out)
		}
		tests := testsOf(t, m.pkg)
		for _, name := range m.tests {
			if !strings.Contains(tests, "\nfunc "+name+"(") {
				t.Errorf("%s: %s has no %s", m.patch, m.pkg, name)
			}
		}
	}
}

// testsOf returns the text of a package's tests.
func testsOf(t *testing.T, pkg string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pkg, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", pkg, err)
	}
	var all strings.Builder
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
