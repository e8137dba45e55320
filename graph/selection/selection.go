// Package selection walks the selections of an operation.
package selection

import "github.com/vektah/gqlparser/v2/ast"

// Fields returns the fields of an object, with those of fragments in their place.
func Fields(set ast.SelectionSet) (fields []*ast.Field) {
	for _, s := range set {
		if f, ok := s.(*ast.Field); ok {
			fields = append(fields, f)
			continue
		}
		inside, _ := Inside(s)
		fields = append(fields, Fields(inside)...)
	}
	return fields
}

// Inside returns the selections of a fragment, with its directives; none for a field, and
// for an unknown fragment.
func Inside(s ast.Selection) (ast.SelectionSet, ast.DirectiveList) {
	switch s := s.(type) {
	case *ast.InlineFragment:
		return s.SelectionSet, s.Directives
	case *ast.FragmentSpread:
		if s.Definition != nil {
			return s.Definition.SelectionSet, s.Directives
		}
		return nil, s.Directives
	}
	return nil, nil
}

// Walk visits every selection of a set and below it; it visits the content of each
// fragment once.
func Walk(set ast.SelectionSet, visit func(ast.Selection)) {
	spread := map[*ast.FragmentDefinition]bool{}
	var walk func(ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, s := range set {
			visit(s)
			inside, _ := Inside(s)
			switch s := s.(type) {
			case *ast.Field:
				inside = s.SelectionSet
			case *ast.FragmentSpread:
				if spread[s.Definition] {
					continue
				}
				spread[s.Definition] = true
			}
			walk(inside)
		}
	}
	walk(set)
}

// Directives returns the directives of a selection.
func Directives(s ast.Selection) ast.DirectiveList {
	if f, ok := s.(*ast.Field); ok {
		return f.Directives
	}
	_, directives := Inside(s)
	return directives
}
