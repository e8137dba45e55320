package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	lineOfDocs   = regexp.MustCompile(`(?m)^ *(?:go run \./cmd/)?upline +([a-z].*)$`)
	inlineOfDocs = regexp.MustCompile("`upline ([^`\n]*--[^`\n]*)`")
	wordOfLine   = regexp.MustCompile(`"([^"]*)"|(\S+)`)
	// What a line says in a sentence, it need not say whole.
	partOfLine = regexp.MustCompile(`missing flags: |expected "|got "EOL"`)
)

// A command line is taken as the documentation writes it: a line of its own is whole, and
// one in a sentence names no flag that there is not.
func TestDocumentedLinesAreTaken(t *testing.T) {
	t.Setenv("UPLINE_DATABASE", "upline.db") // pages about one thing leave it to the environment
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lineOfDocs.FindAllStringSubmatch(string(text), -1) {
			lines++
			if err := taken(t, line[1]); err != nil {
				t.Errorf("%s: upline %s: %v", filepath.Base(page), line[1], err)
			}
		}
		for _, line := range inlineOfDocs.FindAllStringSubmatch(string(text), -1) {
			lines++
			if err := taken(t, line[1]); err != nil && !partOfLine.MatchString(err.Error()) {
				t.Errorf("%s: upline %s: %v", filepath.Base(page), line[1], err)
			}
		}
	}
	if lines < 40 {
		t.Errorf("only %d lines were found", lines)
	}
}

// taken reads a command line without running it.
func taken(t *testing.T, line string) error {
	t.Helper()
	line, _, _ = strings.Cut(line, " #")
	line, _, _ = strings.Cut(line, " < ")
	line, _, _ = strings.Cut(line, " > ")
	var args []string
	for _, word := range wordOfLine.FindAllStringSubmatch(line, -1) {
		args = append(args, word[1]+word[2])
	}
	for i, arg := range args {
		if i > 0 && (args[i-1] == "--file" || args[i-1] == "--query") {
			args[i] = filepath.Join(t.TempDir(), arg)
			if err := os.WriteFile(args[i], nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	k, err := grammar(&commands{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.Parse(args)
	return err
}
