// Package operations holds the stored GraphQL operations that the documented REST paths
// run, a file for each, and reads them.
package operations

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/uplinehq/upline/graph/selection"
)

//go:embed */*.graphql */fragments/*.graphql
var files embed.FS

// extension ends the names of the files.
const extension = ".graphql"

// Operation is a stored operation with the fragments it uses. It is valid on the schema.
type Operation struct {
	Document   string
	Definition *ast.OperationDefinition
	// Root is the only field that the operation asks for.
	Root *ast.Field
}

// Names returns the names of the stored operations: their paths in this folder.
func Names() ([]string, error) {
	sources, err := fs.Glob(files, "*/*"+extension)
	for i, source := range sources {
		sources[i] = strings.TrimSuffix(source, extension)
	}
	return sources, err
}

// Read reads the stored operation of a name, and checks it against the schema.
func Read(schema *ast.Schema, name string) (*Operation, error) {
	text, err := files.ReadFile(name + extension)
	if err != nil {
		return nil, fmt.Errorf("operations: %w", err)
	}
	document, err := withFragments(string(text))
	if err != nil {
		return nil, fmt.Errorf("operations: %s: %w", name, err)
	}
	op, err := Parse(schema, document)
	if err != nil {
		return nil, fmt.Errorf("operations: %s: %w", name, err)
	}
	return op, nil
}

// Parse reads a document, which must hold one operation with one field.
func Parse(schema *ast.Schema, document string) (*Operation, error) {
	doc, errs := gqlparser.LoadQueryWithRules(schema, document, rules.NewDefaultRules())
	if len(errs) > 0 {
		return nil, errs
	}
	if len(doc.Operations) != 1 || len(doc.Operations[0].SelectionSet) != 1 {
		return nil, fmt.Errorf("needs one operation with one field")
	}
	definition := doc.Operations[0]
	root, ok := definition.SelectionSet[0].(*ast.Field)
	if !ok || definition.Name == "" {
		return nil, fmt.Errorf("needs a name, and a field that is not in a fragment")
	}
	return &Operation{Document: document, Definition: definition, Root: root}, nil
}

// withFragments appends to an operation the fragments it uses, and those that they use in
// turn: a document may hold no others.
func withFragments(text string) (string, error) {
	added := map[string]bool{}
	document := text
	for next := []string{text}; len(next) > 0; next = next[1:] {
		doc, err := parser.ParseQuery(&ast.Source{Input: next[0]})
		if err != nil {
			return "", err
		}
		for _, name := range spreads(doc) {
			if added[name] {
				continue
			}
			fragment, err := readFragment(name)
			if err != nil {
				return "", err
			}
			added[name] = true
			document += "\n" + fragment
			next = append(next, fragment)
		}
	}
	return document, nil
}

// readFragment returns the text of a fragment. Each file holds one fragment and has its
// name.
func readFragment(name string) (string, error) {
	found, err := fs.Glob(files, "*/fragments/"+name+extension)
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%d fragments %s", len(found), name)
	}
	text, err := files.ReadFile(found[0])
	return string(text), err
}

func spreads(doc *ast.QueryDocument) []string {
	var names []string
	note := func(s ast.Selection) {
		if spread, ok := s.(*ast.FragmentSpread); ok {
			names = append(names, spread.Name)
		}
	}
	for _, op := range doc.Operations {
		selection.Walk(op.SelectionSet, note)
	}
	for _, fragment := range doc.Fragments {
		selection.Walk(fragment.SelectionSet, note)
	}
	return names
}
