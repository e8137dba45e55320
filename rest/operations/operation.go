// Package operations holds the stored GraphQL operations that the documented REST paths
// run, a file for each, and reads them.
package operations

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/uplinehq/upline/graph/selection"
)

//go:embed */*.graphql */fragments/*.graphql
var files embed.FS

// Operation is a stored operation with the fragments it uses. It is valid on the schema.
type Operation struct {
	Document   string
	Definition *ast.OperationDefinition
	// Root is the only field that the operation asks for.
	Root *ast.Field
}

// Load reads the stored operations, by their path in this folder.
func Load(schema *ast.Schema) (map[string]*Operation, error) {
	sources, err := fs.Glob(files, "*/*.graphql")
	if err != nil {
		return nil, err
	}
	fragments, err := loadFragments()
	if err != nil {
		return nil, err
	}
	operations := make(map[string]*Operation, len(sources))
	for _, source := range sources {
		op, err := loadOperation(schema, source, fragments)
		if err != nil {
			return nil, fmt.Errorf("operations: %s: %w", source, err)
		}
		operations[strings.TrimSuffix(source, ".graphql")] = op
	}
	return operations, nil
}

// loadFragments returns the texts of the fragments. Each file holds one fragment and has
// its name.
func loadFragments() (map[string]string, error) {
	sources, err := fs.Glob(files, "*/fragments/*.graphql")
	if err != nil {
		return nil, err
	}
	fragments := make(map[string]string, len(sources))
	for _, source := range sources {
		text, err := files.ReadFile(source)
		if err != nil {
			return nil, err
		}
		fragments[strings.TrimSuffix(path.Base(source), ".graphql")] = string(text)
	}
	return fragments, nil
}

func loadOperation(schema *ast.Schema, source string, fragments map[string]string) (*Operation, error) {
	text, err := files.ReadFile(source)
	if err != nil {
		return nil, err
	}
	document, err := withFragments(string(text), fragments)
	if err != nil {
		return nil, err
	}
	return Parse(schema, document)
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
func withFragments(text string, fragments map[string]string) (string, error) {
	added := map[string]bool{}
	document := text
	for next := []string{text}; len(next) > 0; next = next[1:] {
		doc, err := parser.ParseQuery(&ast.Source{Input: next[0]})
		if err != nil {
			return "", err
		}
		for _, name := range spreads(doc) {
			if fragments[name] == "" {
				return "", fmt.Errorf("no fragment %s", name)
			}
			if !added[name] {
				added[name] = true
				document += "\n" + fragments[name]
				next = append(next, fragments[name])
			}
		}
	}
	return document, nil
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
