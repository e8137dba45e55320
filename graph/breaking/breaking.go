// Package breaking finds what breaks clients when a schema changes.
package breaking

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// Change is a change after which an operation that was valid is so no longer, or its answer
// can have what it could not have before.
type Change struct {
	// Coordinate is what changed, as a schema coordinate of the old schema: a client that
	// uses it breaks.
	Coordinate string
	// Message says what changed.
	Message string
}

// Changes compares two schemas, in the order of the coordinates.
func Changes(before, after *ast.Schema) []Change {
	c := &comparison{after: after}
	for _, name := range slices.Sorted(maps.Keys(before.Types)) {
		if old := before.Types[name]; !old.BuiltIn {
			c.definition(old)
		}
	}
	slices.SortStableFunc(c.found, func(a, b Change) int { return cmp.Compare(a.Coordinate, b.Coordinate) })
	return c.found
}

type comparison struct {
	after *ast.Schema
	found []Change
}

func (c *comparison) broken(coordinate, format string, args ...any) {
	c.found = append(c.found, Change{coordinate, fmt.Sprintf(format, args...)})
}

func (c *comparison) definition(old *ast.Definition) {
	now := c.after.Types[old.Name]
	switch {
	case now == nil:
		c.broken(old.Name, "the type is gone")
		for _, f := range old.Fields {
			c.broken(old.Name+"."+f.Name, "the type is gone")
		}
		return
	case now.Kind != old.Kind:
		c.broken(old.Name, "the type was %s and is %s", old.Kind, now.Kind)
		return
	}
	for _, name := range old.Interfaces {
		if !slices.Contains(now.Interfaces, name) {
			c.broken(old.Name, "the type implements %s no more", name)
		}
	}
	for _, name := range old.Types {
		if !slices.Contains(now.Types, name) {
			c.broken(old.Name, "%s is no member of the union any more", name)
		}
	}
	for _, v := range old.EnumValues {
		if now.EnumValues.ForName(v.Name) == nil {
			c.broken(old.Name+"."+v.Name, "the value is gone")
		}
	}
	if old.Kind == ast.InputObject {
		c.inputs(old, now)
	} else {
		c.fields(old, now)
	}
}

// fields compares what is answered.
func (c *comparison) fields(old, now *ast.Definition) {
	for _, f := range old.Fields {
		at, is := old.Name+"."+f.Name, now.Fields.ForName(f.Name)
		switch {
		case is == nil:
			c.broken(at, "the field is gone")
			continue
		case !answersAs(f.Type, is.Type):
			c.broken(at, "the field was %s and is %s", f.Type, is.Type)
		}
		for _, a := range f.Arguments {
			at, is := at+"("+a.Name+":)", is.Arguments.ForName(a.Name)
			switch {
			case is == nil:
				c.broken(at, "the argument is gone")
			case !accepts(is.Type, a.Type):
				c.broken(at, "the argument was %s and is %s", a.Type, is.Type)
			case isRequired(is.Type, is.DefaultValue) && !isRequired(a.Type, a.DefaultValue):
				c.broken(at, "the argument has no default any more")
			}
		}
		for _, a := range is.Arguments {
			if f.Arguments.ForName(a.Name) == nil && isRequired(a.Type, a.DefaultValue) {
				c.broken(at, "the new argument %s is required", a.Name)
			}
		}
	}
}

// inputs compares what is sent.
func (c *comparison) inputs(old, now *ast.Definition) {
	for _, f := range old.Fields {
		at, is := old.Name+"."+f.Name, now.Fields.ForName(f.Name)
		switch {
		case is == nil:
			c.broken(at, "the input field is gone")
		case !accepts(is.Type, f.Type):
			c.broken(at, "the input field was %s and is %s", f.Type, is.Type)
		case isRequired(is.Type, is.DefaultValue) && !isRequired(f.Type, f.DefaultValue):
			c.broken(at, "the input field has no default any more")
		}
	}
	for _, f := range now.Fields {
		if old.Fields.ForName(f.Name) == nil && isRequired(f.Type, f.DefaultValue) {
			c.broken(old.Name, "the new input field %s is required", f.Name)
		}
	}
}

func isRequired(t *ast.Type, usual *ast.Value) bool { return t.NonNull && usual == nil }

// answersAs reports whether every answer of the new type is one of the old type.
func answersAs(old, now *ast.Type) bool {
	switch {
	case old.NonNull && !now.NonNull, (old.Elem == nil) != (now.Elem == nil):
		return false
	case old.Elem != nil:
		return answersAs(old.Elem, now.Elem)
	}
	return old.NamedType == now.NamedType
}

// accepts reports whether the new type takes whatever the old type takes.
func accepts(now, old *ast.Type) bool { return answersAs(now, old) }
