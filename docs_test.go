package upline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages are the README and all pages of docs, by their paths.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names := []string{"README.md", "CONTRIBUTING.md"}
	for _, pattern := range []string{"docs/*.md", "docs/decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	texts := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	return texts
}

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchorsOf are those that a page's headings get where it is shown.
func anchorsOf(text string) map[string]bool {
	anchors := map[string]bool{"": true}
	for _, found := range heading.FindAllStringSubmatch(text, -1) {
		anchors[strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-")] = true
	}
	return anchors
}

// Every link of a page leads to a file that there is, and to a heading of it.
func TestLinksOfDocs(t *testing.T) {
	all := pages(t)
	for name, text := range all {
		for _, found := range markdownLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(found[1], "#")
			target := name
			if file != "" {
				target = filepath.Join(filepath.Dir(name), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links %s, which there is not", name, found[1])
			} else if page, ok := all[target]; ok && !anchorsOf(page)[anchor] {
				t.Errorf("%s links %s, which has no such heading", name, found[1])
			}
		}
	}
}

// The README leads to every page.
func TestReadmeLinksEveryPage(t *testing.T) {
	all := pages(t)
	for name := range all {
		if filepath.Dir(name) == "docs" && !strings.Contains(all["README.md"], "("+name+")") {
			t.Errorf("README.md does not link %s", name)
		}
	}
}

// Who begins has at most 5,000 words to read, as the README promises.
func TestWhoBeginsReadsLittle(t *testing.T) {
	all, words := pages(t), 0
	for _, name := range []string{"README.md", "docs/architecture.md", "CONTRIBUTING.md"} {
		words += len(strings.Fields(all[name]))
	}
	if words > 5000 {
		t.Errorf("README, architecture and CONTRIBUTING have %d words, more than 5,000", words)
	}
}

var (
	testName = regexp.MustCompile("`(Test[A-Z]\\w*)[^`]*`")
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
)

// Every test that a page names is there.
func TestDocsNameTestsThatThereAre(t *testing.T) {
	tests := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range testFunc.FindAllStringSubmatch(string(text), -1) {
			tests[found[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range pages(t) {
		for _, found := range testName.FindAllStringSubmatch(text, -1) {
			if !tests[found[1]] {
				t.Errorf("%s names %s, which there is not", name, found[1])
			}
		}
	}
}

var (
	decisionNumber = regexp.MustCompile(`[Dd]ecisions?(?:\s+(?://|--)?\s*|/)(\d+)`)
	decisionName   = regexp.MustCompile(`^# (\d+)\. `)
)

// Every decision that a source or a page refers to by its number is there, and each page
// of a decision has the number of its file.
func TestReferencedDecisionsExist(t *testing.T) {
	there := map[string]bool{}
	for name, text := range pages(t) {
		if filepath.Dir(name) == "docs/decisions" {
			number, _, _ := strings.Cut(filepath.Base(name), "-")
			if found := decisionName.FindStringSubmatch(text); found == nil || strings.TrimLeft(number, "0") != found[1] {
				t.Errorf("%s does not begin with its number", name)
			}
			there[strings.TrimLeft(number, "0")] = true
		}
	}
	err := filepath.WalkDir(".", func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || !slices.Contains([]string{".go", ".md", ".sql", ".ts", ".tsx"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range decisionNumber.FindAllStringSubmatch(string(text), -1) {
			if !there[strings.TrimLeft(found[1], "0")] {
				t.Errorf("%s refers to decision %s, which there is not", path, found[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// address is an address in a text; ours are the hosts that readers can reach, or that stand for
// their own: this machine, names of examples, and the pages of standards.
var (
	address = regexp.MustCompile(`https?://([^/\s:)>"'*\x60…]+)`)
	ours    = regexp.MustCompile(`^(127\.0\.0\.1|localhost|(.*\.)?[a-z]+\.example|keepachangelog\.com|semver\.org)$`)
)

// Who installs Upline, or reports a fault in it, is sent nowhere that does not exist: nothing is
// published yet.
func TestNobodyIsSentWhereNothingIs(t *testing.T) {
	for _, name := range []string{"README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md", "compose.yaml", "Dockerfile", "cmd/upline/demo.go",
		"deploy/helm/upline/Chart.yaml", "deploy/helm/upline/values.yaml", "deploy/systemd/upline.service"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range address.FindAllStringSubmatch(string(text), -1) {
			if !ours.MatchString(found[1]) && !strings.HasPrefix(found[1], "%") {
				t.Errorf("%s sends people to %s", name, found[0])
			}
		}
	}
}
