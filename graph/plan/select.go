package plan

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/selection"
)

// Conditions returns the variables that decide which fields of a selection are asked
// for: those of @include and @skip.
func Conditions(set ast.SelectionSet) (variables []string) {
	selection.Walk(set, func(s ast.Selection) {
		for _, d := range selection.Directives(s) {
			for _, a := range d.Arguments {
				if a.Value.Kind == ast.Variable && !slices.Contains(variables, a.Value.Raw) {
					variables = append(variables, a.Value.Raw)
				}
			}
		}
	})
	return variables
}

// fields returns the fields of a selection on a type that are asked for, in the order of
// their response names. Fields with the same response name are merged into one with all
// of their selections. ok is false if there is a directive other than @include and @skip.
func (c *Compiler) fields(names []string, s ast.SelectionSet) (fields []*ast.Field, ok bool) {
	l := collecting{c: c, names: names, spread: map[*ast.FragmentDefinition]bool{}}
	ok = l.add(s)
	return l.fields, ok
}

// collecting is a list of fields that grows.
type collecting struct {
	c      *Compiler
	names  []string
	spread map[*ast.FragmentDefinition]bool
	fields []*ast.Field
}

func (l *collecting) add(set ast.SelectionSet) bool {
	for _, s := range set {
		ok := true
		switch sel := s.(type) {
		case *ast.Field:
			ok = l.asked(sel.Directives, func() bool { l.field(sel); return true })
		case *ast.InlineFragment:
			ok = l.asked(sel.Directives, func() bool { return l.fragment(sel.TypeCondition, sel.SelectionSet) })
		case *ast.FragmentSpread:
			if l.spread[sel.Definition] {
				continue
			}
			ok = l.asked(sel.Directives, func() bool {
				l.spread[sel.Definition] = true
				return l.fragment(sel.Definition.TypeCondition, sel.Definition.SelectionSet)
			})
		}
		if !ok {
			return false
		}
	}
	return true
}

func (l *collecting) fragment(on string, s ast.SelectionSet) bool {
	return on != "" && !slices.Contains(l.names, on) || l.add(s)
}

func (l *collecting) field(f *ast.Field) {
	for i, before := range l.fields {
		if before.Alias == f.Alias {
			both := *before
			both.SelectionSet = slices.Concat(before.SelectionSet, f.SelectionSet)
			l.fields[i] = &both
			return
		}
	}
	l.fields = append(l.fields, f)
}

// asked calls add unless the directives leave the selection out.
func (l *collecting) asked(directives ast.DirectiveList, add func() bool) bool {
	for _, d := range directives {
		if d.Name != "include" && d.Name != "skip" {
			return false
		}
		condition, isBool := d.ArgumentMap(l.c.variables)["if"].(bool)
		if !isBool {
			return false
		}
		if condition != (d.Name == "include") {
			return true
		}
	}
	return add()
}
