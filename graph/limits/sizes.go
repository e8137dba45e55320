package limits

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// size is how many rows a list that is no connection makes room for, by its @listSize: as
// many as an argument says, or as are assumed.
type size struct {
	// argument is the path to the argument; empty if there is none. The argument is
	// either the number of rows or a list with an element for each row.
	argument []string
	// elements is set when the argument is a list.
	elements bool
	assumed  int64
	// within is set when the lists are fields of the object returned, and not
	// the field itself.
	within bool
}

// readSizes adds the sizes to the weights.
func (w weights) readSizes(schema *ast.Schema) error {
	// Rows count only inside a field that says how many there are.
	sized := map[*ast.Definition]string{}
	for _, parent := range schema.Types {
		for _, field := range parent.Fields {
			directive := field.Directives.ForName("listSize")
			if directive == nil {
				continue
			}
			if isConnection(field.Type.Name()) {
				likely, err := readLikely(directive)
				if err != nil {
					return fmt.Errorf("limits: %s.%s: %w", parent.Name, field.Name, err)
				}
				w.set(field, func(c *weight) { c.likely = likely })
				continue
			}
			s, lists, err := readSize(schema, field, directive)
			if err != nil {
				return fmt.Errorf("limits: %s.%s: %w", parent.Name, field.Name, err)
			}
			w.set(field, func(c *weight) { c.size = s })
			for _, list := range lists {
				sized[schema.Types[field.Type.Name()]] = parent.Name + "." + field.Name
				w.set(list, func(c *weight) { c.row = true })
			}
		}
	}
	for _, parent := range schema.Types {
		for _, field := range parent.Fields {
			by, is := sized[schema.Types[field.Type.Name()]]
			if is && (w[field].size == nil || !w[field].size.within) {
				return fmt.Errorf("limits: %s.%s: it needs @listSize with sizedFields, as %s has", parent.Name, field.Name, by)
			}
		}
	}
	return nil
}

func (w weights) set(field *ast.FieldDefinition, change func(*weight)) {
	c := w[field]
	change(&c)
	w[field] = c
}

// readSize reads a directive; lists are the fields of the returned object whose rows it
// counts, none if it counts those of the field itself.
func readSize(schema *ast.Schema, field *ast.FieldDefinition, directive *ast.Directive) (s *size, lists []*ast.FieldDefinition, err error) {
	s = &size{}
	always := false // the argument has a value in every operation
	if a := directive.Arguments.ForName("slicingArguments"); a != nil {
		if always, err = s.readArgument(schema, field, onlyOne(a.Value)); err != nil {
			return nil, nil, err
		}
	}
	if a := directive.Arguments.ForName("assumedSize"); a != nil {
		if s.assumed, err = readAssumed(a); err != nil {
			return nil, nil, err
		}
	}
	if s.assumed == 0 && !always {
		return nil, nil, fmt.Errorf("@listSize has to assume a size, since no argument always gives one")
	}
	a := directive.Arguments.ForName("sizedFields")
	if a == nil {
		return s, nil, onlyList(field)
	}
	s.within = true
	for _, child := range a.Value.Children {
		list := schema.Types[field.Type.Name()].Fields.ForName(child.Value.Raw)
		if list == nil || slices.Contains(lists, list) {
			return nil, nil, fmt.Errorf("@listSize names the field %q, which there is not, or twice", child.Value.Raw)
		}
		if err := onlyList(list); err != nil {
			return nil, nil, err
		}
		lists = append(lists, list)
	}
	return s, lists, nil
}

// readLikely reads the directive of a connection, whose arguments say its size.
func readLikely(directive *ast.Directive) (int64, error) {
	a := directive.Arguments.ForName("assumedSize")
	if a == nil || len(directive.Arguments) > 1 {
		return 0, fmt.Errorf("@listSize of a connection takes assumedSize, and nothing else")
	}
	return readAssumed(a)
}

func readAssumed(a *ast.Argument) (int64, error) {
	n, err := strconv.ParseInt(a.Value.Raw, 10, 32)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("the size that @listSize assumes must be an integer of at least 1")
	}
	return n, nil
}

// onlyOne is the only text of a list, which may be written without brackets; empty if it
// has several, which no field needs.
func onlyOne(list *ast.Value) string {
	switch {
	case list.Kind != ast.ListValue:
		return list.Raw
	case len(list.Children) == 1:
		return list.Children[0].Value.Raw
	}
	return ""
}

func (s *size) readArgument(schema *ast.Schema, field *ast.FieldDefinition, path string) (always bool, err error) {
	s.argument = strings.Split(path, ".")
	argument := field.Arguments.ForName(s.argument[0])
	if argument == nil {
		return false, fmt.Errorf("@listSize names the argument %q, which there is not", path)
	}
	t, always := argument.Type, argument.Type.NonNull
	for _, name := range s.argument[1:] {
		inner := schema.Types[t.Name()].Fields.ForName(name)
		if inner == nil {
			return false, fmt.Errorf("@listSize names the argument %q, which there is not", path)
		}
		t, always = inner.Type, always && inner.Type.NonNull
	}
	s.elements = t.Elem != nil
	return always, nil
}

func onlyList(field *ast.FieldDefinition) error {
	if field.Type.Elem == nil {
		return fmt.Errorf("@listSize is for lists, which %s is not", field.Name)
	}
	return nil
}
