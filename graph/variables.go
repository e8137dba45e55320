package graph

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/graph/selection"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// maxVariableErrors is how many wrong values of variables one answer names.
const maxVariableErrors = 10

// variableErrors returns what is wrong with the types of an operation's variables. The
// library turns a number into a String and ignores the case of enum values, but the
// specification of GraphQL allows neither: "When expected as an input type, only Unicode
// string values are accepted. All other input values must raise a request error" (3.5.3;
// 3.5.1 to 3.5.5 and 3.9 for the others). The library has already found missing values,
// and nulls where they are not allowed.
func variableErrors(schema *ast.Schema, op *ast.OperationDefinition, given map[string]any) gqlerror.List {
	c := variableCheck{schema: schema}
	for _, definition := range op.VariableDefinitions {
		if value, ok := given[definition.Variable]; ok {
			c.value(definition.Type, value, ast.Path{ast.PathName("variable"), ast.PathName(definition.Variable)})
		}
	}
	return c.found
}

type variableCheck struct {
	schema *ast.Schema
	found  gqlerror.List
}

func (c *variableCheck) refuse(path ast.Path, format string, values ...any) {
	err := gqlerror.ErrorPathf(path, format, values...)
	errcode.Set(err, refusal.BadUserInput)
	c.found = append(c.found, err)
}

func (c *variableCheck) value(t *ast.Type, value any, path ast.Path) {
	if value == nil || len(c.found) == maxVariableErrors {
		return
	}
	if t.Elem != nil {
		c.list(t.Elem, value, path)
		return
	}
	switch definition := c.schema.Types[t.NamedType]; definition.Kind {
	case ast.InputObject:
		c.object(definition, value, path)
	case ast.Enum:
		c.enum(definition, value, path)
	default:
		if accepts := builtIn[definition.Name]; accepts != nil && !accepts(value) {
			c.refuse(path, "must be %s, not %s", article(definition.Name), kindOf(value))
		}
		if s, ok := value.(string); ok && !text.Fit(s) {
			c.refuse(path, "%s", text.ErrUnfit)
		}
	}
}

// literalErrors returns what is wrong with the texts that a document holds. Only an escape
// can make one unfit.
func literalErrors(document string, op *ast.OperationDefinition) gqlerror.List {
	if !strings.Contains(document, `\u`) {
		return nil
	}
	var c variableCheck
	for _, v := range op.VariableDefinitions {
		c.literal(v.DefaultValue, ast.Path{ast.PathName("variable"), ast.PathName(v.Variable)})
	}
	selection.Walk(op.SelectionSet, func(s ast.Selection) {
		if f, ok := s.(*ast.Field); ok {
			for _, a := range f.Arguments {
				c.literal(a.Value, ast.Path{ast.PathName(f.Alias), ast.PathName(a.Name)})
			}
		}
	})
	return c.found
}

// literal checks a value of a document, with those in it.
func (c *variableCheck) literal(v *ast.Value, path ast.Path) {
	if v == nil || len(c.found) == maxVariableErrors {
		return
	}
	if !text.Fit(v.Raw) {
		c.refuse(path, "%s", text.ErrUnfit)
	}
	for i, child := range v.Children {
		step := ast.PathElement(ast.PathName(child.Name))
		if v.Kind == ast.ListValue {
			step = ast.PathIndex(i)
		}
		c.literal(child.Value, at(path, step))
	}
}

// list checks each value of a list. A single value stands for a list of one (3.11); within
// an object the library has made it one, of the type of the value.
func (c *variableCheck) list(elem *ast.Type, value any, path ast.Path) {
	values, isList := value.([]any)
	if !isList {
		for _, one := range graphql.CoerceList(value) {
			c.value(elem, one, path)
		}
		return
	}
	for i, v := range values {
		c.value(elem, v, at(path, ast.PathIndex(i)))
	}
}

func (c *variableCheck) object(definition *ast.Definition, value any, path ast.Path) {
	object, isObject := value.(map[string]any)
	if !isObject {
		c.refuse(path, "must be an object of the type %s, not %s", definition.Name, kindOf(value))
		return
	}
	for name := range object {
		if definition.Fields.ForName(name) == nil {
			c.refuse(at(path, ast.PathName(name)), "%s has no field %s", definition.Name, problem.NameOf(name))
		}
	}
	for _, field := range definition.Fields {
		c.value(field.Type, object[field.Name], at(path, ast.PathName(field.Name)))
	}
}

// enum accepts a value only in the spelling of the schema (3.9).
func (c *variableCheck) enum(definition *ast.Definition, value any, path ast.Path) {
	if name, isText := value.(string); isText && definition.EnumValues.ForName(name) != nil {
		return
	}
	names := make([]string, len(definition.EnumValues))
	for i, v := range definition.EnumValues {
		names[i] = v.Name
	}
	c.refuse(path, "must be one of %s", strings.Join(names, ", "))
}

// builtIn says which values the scalars of GraphQL accept, and Long. The schema's other
// scalars check their values themselves.
var builtIn = map[string]func(any) bool{
	"String":  isText,
	"ID":      func(v any) bool { return isText(v) || isWhole(v, 64) },
	"Int":     func(v any) bool { return isWhole(v, 32) },
	"Long":    func(v any) bool { return isWhole(v, 64) },
	"Float":   isNumber,
	"Boolean": func(v any) bool { _, ok := v.(bool); return ok },
}

func isText(v any) bool { _, ok := v.(string); return ok }

func isNumber(v any) bool {
	switch v.(type) {
	case json.Number, float64, int, int32, int64:
		return true
	}
	return false
}

// isWhole reports whether a value is an integer that fits into a number of bits.
func isWhole(v any, bits int) bool {
	switch n := v.(type) {
	case json.Number:
		_, err := strconv.ParseInt(n.String(), 10, bits)
		return err == nil
	case float64:
		return n == math.Trunc(n) && math.Abs(n) < float64(int64(1)<<(bits-1))
	case int:
		return bits == 64 || n == int(int32(n))
	case int64:
		return bits == 64 || n == int64(int32(n))
	case int32:
		return true
	}
	return false
}

// kindOf names the kind of a JSON value. It does not repeat the value, which may be
// sensitive.
func kindOf(v any) string {
	switch {
	case isText(v):
		return "a string"
	case isWhole(v, 64):
		return "an integer"
	case isNumber(v):
		return "a number"
	}
	switch v.(type) {
	case bool:
		return "a Boolean"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("a %T", v)
}

// article puts a or an before the name of a scalar.
func article(name string) string {
	switch name {
	case "Int":
		return "an Int of at most 32 bits"
	case "ID":
		return "an ID"
	}
	return "a " + name
}

// at returns a path one step deeper, without sharing memory with its siblings.
func at(path ast.Path, step ast.PathElement) ast.Path {
	return append(path[:len(path):len(path)], step)
}
