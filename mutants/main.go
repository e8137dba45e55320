// Command mutants plants faults in the program, one at a time, and tells which test
// finds each. A fault that no test finds, or a patch that no longer fits the program, is
// an error. It is run by "make mutants" in the root of the module; with words, only the
// patches whose names contain one of them are tried, and no table is written.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	page = "docs/mutants.md"
	// marker stands in the page where the table begins.
	marker = "<!-- What follows is written by make mutants. -->\n"
)

// mutant is a patch with what its first lines say: "# " and what is wrong, then "# found
// by: ", the package and the tests that are expected to find it.
type mutant struct {
	name, patch    string
	wrong, pkg     string
	tests, changed []string
}

func main() {
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	all, err := readAll(words)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "upline-mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	tracked, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	if err := copyFiles(folder, strings.Split(strings.TrimSuffix(string(tracked), "\x00"), "\x00")); err != nil {
		return err
	}
	if err := sound(folder, all); err != nil {
		return err
	}
	table, bad := "| Fault | Found by |\n| --- | --- |\n", 0
	for _, m := range all {
		found, err := m.try(folder)
		fmt.Printf("%-32s %s\n", m.name, cmp.Or(found, "NOT FOUND: "+fmt.Sprint(err)))
		if err != nil {
			bad++
		}
		table += fmt.Sprintf("| [%s](../%s) %s | `%s`: %s |\n", strings.TrimSuffix(m.name, ".patch"), m.patch, m.wrong, m.pkg, cmp.Or(found, "**nothing**"))
	}
	fmt.Printf("%d of %d faults were found\n", len(all)-bad, len(all))
	if len(words) == 0 {
		err = write(fmt.Sprintf("%s\n%d of %d faults were found.\n\n%s", marker, len(all)-bad, len(all), table))
	}
	if bad > 0 {
		err = errors.Join(err, fmt.Errorf("%d faults were not found", bad))
	}
	return err
}

var header = regexp.MustCompile(`^# (.+)\n# found by: (\./\S+)((?: (?:Test|Fuzz)\w+)+)\n`)

func readAll(words []string) (all []mutant, err error) {
	patches, err := filepath.Glob("mutants/*.patch")
	if err != nil || len(patches) == 0 {
		return nil, errors.Join(err, errors.New("there is no patch in mutants; run it in the root of the module"))
	}
	for _, path := range patches {
		m := mutant{name: filepath.Base(path), patch: path}
		if len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(m.name, w) }) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		said := header.FindStringSubmatch(string(text))
		if said == nil {
			return nil, fmt.Errorf("%s does not begin with what is wrong, and who finds it", path)
		}
		m.wrong, m.pkg, m.tests = said[1], said[2], strings.Fields(said[3])
		for line := range strings.Lines(string(text)) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "+++ b/"); ok {
				m.changed = append(m.changed, name)
			}
		}
		all = append(all, m)
	}
	return all, nil
}

// copyFiles copies files of the module as they are now, so that a fault is also planted
// in what is not committed yet.
func copyFiles(folder string, names []string) error {
	for _, name := range names {
		text, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) { // deleted, and not committed yet
			continue
		}
		to := filepath.Join(folder, name)
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755)); err == nil {
			err = os.WriteFile(to, text, 0o755)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sound runs the tests without a fault: a test that fails anyway finds nothing.
func sound(folder string, all []mutant) error {
	tests := map[string][]string{}
	for _, m := range all {
		tests[m.pkg] = append(tests[m.pkg], m.tests...)
	}
	for pkg, names := range tests {
		if out, err := test(folder, pkg, names); err != nil {
			return fmt.Errorf("without a fault %s fails: %w\n%s", pkg, err, out)
		} else if bytes.Contains(out, []byte("[no tests to run]")) {
			return fmt.Errorf("%s has none of %v", pkg, names)
		}
	}
	return nil
}

// test links without tables for debuggers and without vet, which is quicker. Paths are
// trimmed, so what was built in another folder is not built again.
func test(folder, pkg string, names []string) ([]byte, error) {
	command := exec.Command("go", "test", "-trimpath", "-buildvcs=false", "-vet=off", "-ldflags=-w", "-failfast", "-count=1", "-timeout=5m",
		"-run", "^("+strings.Join(names, "|")+")$", pkg)
	command.Dir = folder
	return command.CombinedOutput()
}

var (
	failed   = regexp.MustCompile(`(?m)^\s*--- FAIL: (\w+)`)
	timedOut = regexp.MustCompile(`(?s)panic: test timed out.*?running tests:\s+(\w+)`)
)

// try returns the test that finds the fault, or an error.
func (m mutant) try(folder string) (found string, err error) {
	patch, err := filepath.Abs(m.patch)
	if err != nil {
		return "", err
	}
	apply := exec.Command("git", "apply", "-C1", patch)
	apply.Dir, apply.Env = folder, append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(folder))
	if out, err := apply.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the patch does not apply: %s", out)
	}
	defer func() { err = errors.Join(err, copyFiles(folder, m.changed)) }()
	out, err := test(folder, m.pkg, m.tests)
	if err == nil {
		return "", fmt.Errorf("it survives %v", m.tests)
	}
	for _, form := range []*regexp.Regexp{failed, timedOut} {
		if name := form.FindSubmatch(out); name != nil {
			return string(name[1]), nil
		}
	}
	return "", fmt.Errorf("no test ran to its end: %s", out)
}

func write(table string) error {
	text, err := os.ReadFile(page)
	before, _, ok := strings.Cut(string(text), marker)
	if err != nil || !ok {
		return errors.Join(err, fmt.Errorf("%s has no place for the table", page))
	}
	return os.WriteFile(page, []byte(before+table), 0o644)
}
