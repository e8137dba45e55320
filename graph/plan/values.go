package plan

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
)

// Values is an object type whose objects are values of another object, not rows.
type Values[T any] struct {
	Name   string
	Fields map[string]func(b []byte, v T) []byte
}

// List compiles a selection of the objects of a list; nil when it is not supported.
func (t Values[T]) List(c *Compiler, s ast.SelectionSet) func(b []byte, list []T) []byte {
	fields, ok := c.fields([]string{t.Name}, s)
	if !ok {
		return nil
	}
	type value struct {
		name  string
		write func(b []byte, v T) []byte
	}
	values := make([]value, len(fields))
	for i, f := range fields {
		write, known := t.Fields[f.Name]
		if f.Name == "__typename" {
			write, known = func(b []byte, _ T) []byte { return String(b, t.Name) }, true
		}
		if !known {
			return nil
		}
		values[i] = value{strconv.Quote(f.Alias) + ":", write}
	}
	return func(b []byte, list []T) []byte {
		b = append(b, '[')
		for i, v := range list {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, '{')
			for j := range values {
				if j > 0 {
					b = append(b, ',')
				}
				b = values[j].write(append(b, values[j].name...), v)
			}
			b = append(b, '}')
		}
		return append(b, ']')
	}
}
