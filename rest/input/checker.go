// Package input turns what a request of REST sends, in its body and its query, into the
// variables of a stored operation.
package input

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/record"
)

// Checker turns JSON in its REST form into GraphQL variables. It continues after an
// error, so that all are reported together.
type Checker struct {
	Schema *ast.Schema
	// TakesMore makes it ignore properties that a type does not have; see paths.TakesMore.
	TakesMore bool
	// Masked is set for a tool, whose caller sees no sensitive value and may send none.
	Masked bool
	// Found is what is wrong with the values so far.
	Found problem.List
}

// Refuse notes what is wrong with the value at a path.
func (c *Checker) Refuse(code problem.Code, message string, path []string) {
	c.Found.Add(problem.Invalid(code, message, path...))
}

// Value checks a value against a type. It returns nil for null and for a value that it
// refused.
func (c *Checker) Value(t *ast.Type, v any, path []string) any {
	if v == nil {
		if t.NonNull {
			// "Setting a required field to null is a validation error"
			// (specification, "Partial updates: PATCH versus PUT", 1).
			c.Refuse(problem.NullNotAllowed, "must not be null", path)
		}
		return nil
	}
	if t.Elem != nil {
		return c.list(t.Elem, v, path)
	}
	def := c.Schema.Types[t.NamedType]
	switch def.Kind {
	case ast.InputObject:
		return c.object(def, v, path)
	case ast.Enum:
		return c.enum(def, v, path)
	default:
		return c.scalar(t.NamedType, v, path)
	}
}

func (c *Checker) list(elem *ast.Type, v any, path []string) any {
	values, ok := v.([]any)
	if !ok {
		c.Refuse(problem.InvalidFormat, "must be an array", path)
		return nil
	}
	list := make([]any, len(values))
	for i, element := range values {
		list[i] = c.Value(elem, element, below(path, strconv.Itoa(i)))
	}
	return list
}

// object checks the properties that the type has, in the type's order, and then the
// others. It leaves out omitted properties, so that they differ from null.
func (c *Checker) object(def *ast.Definition, v any, path []string) any {
	values, ok := v.(map[string]any)
	if !ok {
		c.Refuse(problem.InvalidFormat, "must be an object", path)
		return nil
	}
	variables := make(map[string]any, len(values))
	known := make(map[string]bool, len(def.Fields))
	for _, field := range def.Fields {
		name := NameOf(def, field)
		known[name] = true
		value, sent := values[name]
		switch {
		case sent:
			variables[field.Name] = c.field(def, field, value, below(path, name))
		case field.Type.NonNull && field.DefaultValue == nil:
			c.Refuse(problem.Required, "is required", below(path, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !known[name] && !c.TakesMore {
			c.Refuse(problem.UnknownField, "is not a known property", below(path, NameOrNot(name)))
		}
	}
	return variables
}

// property matches texts that look like names of properties.
var property = regexp.MustCompile(`^[A-Za-z_]{1,50}[0-9]?$`)

// NotShown stands for a name that is not repeated.
const NotShown = "?"

// NameOrNot returns a name that the client made up if it may be repeated: a text that
// looks like a value in the wrong place could be sensitive.
func NameOrNot(name string) string {
	if property.MatchString(name) {
		return name
	}
	return NotShown
}

func (c *Checker) field(def *ast.Definition, field *ast.FieldDefinition, v any, path []string) any {
	if c.Masked && HoldsSensitive(c.Schema, field) { // to clear it is to give another
		c.Refuse(problem.NotApplicable, "cannot be given here: it is sensitive", path)
		return nil
	}
	d, ok := paths.Dictionaries[def.Name+"."+field.Name]
	if !ok || v == nil {
		return c.Value(field.Type, v, path)
	}
	entries, ok := v.(map[string]any)
	if !ok {
		c.Refuse(problem.InvalidFormat, "must be an object", path)
		return nil
	}
	valueType := c.Schema.Types[field.Type.Name()].Fields.ForName(d.Value).Type
	list := make([]any, 0, len(entries))
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		list = append(list, map[string]any{d.Key: c.scalar("String", key, path), d.Value: c.Value(valueType, entries[key], below(path, NameOrNot(key)))})
	}
	return list
}

func (c *Checker) enum(def *ast.Definition, v any, path []string) any {
	code := problem.InvalidFormat
	if s, ok := v.(string); ok {
		for value, spelling := range record.Spellings(def) {
			if spelling == s {
				return value
			}
		}
		if own, ok := paths.EnumCodes[def.Name]; ok {
			code = own
		}
	}
	c.Refuse(code, "must be one of "+strings.Join(Values(def), ", "), path)
	return nil
}

// Values are the values of an enum, as REST spells them.
func Values(def *ast.Definition) []string {
	values, spellings := make([]string, len(def.EnumValues)), record.Spellings(def)
	for i, v := range def.EnumValues {
		values[i] = spellings[v.Name]
	}
	return values
}

func (c *Checker) scalar(name string, v any, path []string) any {
	check, ok := scalars[name]
	if ok && !check.fits(v) {
		c.Refuse(problem.InvalidFormat, check.message, path)
		return nil
	}
	if s, ok := v.(string); ok && !text.Fit(s) {
		c.Refuse(problem.InvalidFormat, text.ErrUnfit.Error(), path)
		return nil
	}
	return v
}

// scalars are the checks of values. A scalar without one takes any value.
var scalars = map[string]struct {
	message string
	fits    func(v any) bool
}{
	"String":   {"must be a string", isString},
	"ID":       {"must be a string", isString},
	"JSON":     {"must be an object", func(v any) bool { _, ok := v.(map[string]any); return ok }},
	"Boolean":  {"must be true or false", func(v any) bool { _, ok := v.(bool); return ok }},
	"Int":      {"must be an integer of at most 32 bits", isInt},
	"Date":     {date.ErrFormat.Error(), isDate},
	"DateTime": {date.ErrInstant.Error(), isInstant},
}

func isString(v any) bool { _, ok := v.(string); return ok }

func isInt(v any) bool {
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	_, err := strconv.ParseInt(n.String(), 10, 32)
	return err == nil
}

func isDate(v any) bool {
	s, _ := v.(string)
	_, err := date.Parse(s)
	return err == nil
}

func isInstant(v any) bool {
	s, _ := v.(string)
	_, err := date.ParseInstant(s)
	return !errors.Is(err, date.ErrInstant) // of the years the scalar tells
}

// NameOf returns the name of an input field in REST.
func NameOf(def *ast.Definition, field *ast.FieldDefinition) string {
	if name, ok := paths.InputNames[def.Name+"."+field.Name]; ok {
		return name
	}
	return field.Name
}

// below returns a path one step deeper, which shares no memory with its siblings.
func below(path []string, step string) []string {
	return append(slices.Clip(path), step)
}
