package rest

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

//go:embed operations
var files embed.FS

// operation is a stored operation with the fragments it uses. It is valid on the schema.
type operation struct {
	document   string
	definition *ast.OperationDefinition
	// root is the only field that the operation asks for.
	root *ast.Field
}

// loadOperations reads the stored operations, by their path below the folder operations.
func loadOperations(schema *ast.Schema) (map[string]*operation, error) {
	sources, err := fs.Glob(files, "operations/*/*.graphql")
	if err != nil {
		return nil, err
	}
	fragments, err := loadFragments()
	if err != nil {
		return nil, err
	}
	operations := make(map[string]*operation, len(sources))
	for _, source := range sources {
		op, err := loadOperation(schema, source, fragments)
		if err != nil {
			return nil, fmt.Errorf("rest: %s: %w", source, err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(source, "operations/"), ".graphql")
		operations[name] = op
	}
	return operations, nil
}

// loadFragments returns the texts of the fragments. Each file holds one fragment and has
// its name.
func loadFragments() (map[string]string, error) {
	sources, err := fs.Glob(files, "operations/*/fragments/*.graphql")
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

func loadOperation(schema *ast.Schema, source string, fragments map[string]string) (*operation, error) {
	text, err := files.ReadFile(source)
	if err != nil {
		return nil, err
	}
	document, err := withFragments(string(text), fragments)
	if err != nil {
		return nil, err
	}
	return parseOperation(schema, document)
}

func parseOperation(schema *ast.Schema, document string) (*operation, error) {
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
	return &operation{document: document, definition: definition, root: root}, nil
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
