package upline_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// Every right has its button: what a caller's scopes allow can be done in the workbench.

// withoutButton are the mutations that no page of the workbench uses, and why.
var withoutButton = map[string]string{
	"applicationReplace":    "is what a program sends that has the whole application; a page changes what was typed",
	"clientDocumentsAdd":    "the build of a program adds the documents it was built with",
	"clientDocumentsRemove": "the build of a program removes what it no longer asks",
	"reportRecipeCreate":    "is of all agencies, and the operator's; an agency makes its own",
	"reportRecipeReplace":   "is of all agencies, and the operator's; an agency makes its own",
	"reportRecipeDelete":    "is of all agencies, and the operator's; an agency makes its own",
}

// TestPagesShowTextsAsTexts: what people have written is never taken for HTML or a program
// (OWASP ASVS 3.2.2).
func TestPagesShowTextsAsTexts(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("web/src", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		for _, way := range []string{"dangerouslySetInnerHTML", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"} {
			if strings.Contains(string(text), way) {
				t.Errorf("%s: %s", file, way)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryRightHasItsButton(t *testing.T) {
	t.Parallel()
	used := mutationsOfPages(t)
	var count int
	for _, d := range append(schemaDocument(t).Definitions, schemaDocument(t).Extensions...) {
		if d.Name != "Mutation" {
			continue
		}
		for _, f := range d.Fields {
			count++
			reason := withoutButton[f.Name]
			switch {
			case used[f.Name] && reason != "":
				t.Errorf("a page uses %s: take it off the list of those that none uses", f.Name)
			case !used[f.Name] && reason == "":
				t.Errorf("no page of the workbench uses %s: give it a button, or say in withoutButton why it has none", f.Name)
			}
			delete(used, f.Name)
		}
	}
	if count < 80 {
		t.Errorf("only %d mutations", count)
	}
	for name := range used {
		t.Errorf("a page uses %s, which there is not", name)
	}
}

// mutationsOfPages returns the mutations of all documents of the workbench that its code
// names. A document that nothing names is a failure, too.
func mutationsOfPages(t *testing.T) map[string]bool {
	t.Helper()
	var code strings.Builder
	var documents []*ast.Source
	err := filepath.WalkDir("web/src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == "web/src/gql.ts" {
			return err
		}
		text, err := os.ReadFile(path)
		switch filepath.Ext(path) {
		case ".ts", ".tsx":
			code.Write(text)
		case ".graphql":
			documents = append(documents, &ast.Source{Name: path, Input: string(text)})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, source := range documents {
		doc, err := parser.ParseQuery(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range doc.Operations {
			if !strings.Contains(code.String(), o.Name+"Document") {
				t.Errorf("%s: no page uses %s", source.Name, o.Name)
				continue
			}
			for _, s := range o.SelectionSet {
				if f, ok := s.(*ast.Field); ok && o.Operation == ast.Mutation {
					used[f.Name] = true
				}
			}
		}
	}
	return used
}
