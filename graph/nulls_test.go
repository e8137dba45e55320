package graph_test

import (
	"slices"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// Null may be sent for every argument and every field of every input that allows it, and
// is never a fault of the server, whatever else is sent: only what is required, or all.
func TestNullIsNoFault(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		newAgent(t, c, "A1", "", "2025-01-01")
		schema := w.Graph.Schema()
		sent := 0
		for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
			for _, field := range root.Fields {
				if len(field.Arguments) == 0 || field.Name[0] == '_' {
					continue
				}
				for _, all := range []bool{false, true} {
					s := sample{schema: schema, all: all}
					for _, arguments := range s.withNulls(field.Arguments) {
						document, variables := calling(schema, root, field, arguments)
						_, errs := c.GraphQL(t, document, variables)
						sent++
						for _, e := range errs {
							if e.Code() == "INTERNAL_SERVER_ERROR" {
								t.Errorf("%s with %v: %+v", field.Name, variables, e)
							}
						}
					}
				}
			}
		}
		if sent < 800 {
			t.Errorf("only %d requests were sent", sent)
		}
	})
}

// calling returns a document that calls a root field with arguments as variables.
func calling(schema *ast.Schema, root *ast.Definition, field *ast.FieldDefinition, arguments object) (document string, variables object) {
	declared, given := "", ""
	for _, a := range field.Arguments {
		if _, ok := arguments[a.Name]; ok {
			declared += " $" + a.Name + ": " + a.Type.String()
			given += " " + a.Name + ": $" + a.Name
		}
	}
	if declared != "" {
		declared, given = "("+declared+")", "("+given+")"
	}
	content := ""
	if schema.Types[field.Type.Name()].IsCompositeType() {
		content = " { __typename }"
	}
	operation := "query"
	if root == schema.Mutation {
		operation = "mutation"
	}
	return operation + declared + " { " + field.Name + given + content + " }", arguments
}

// sample makes values of the types of a schema: with all fields, or with those that are
// required.
type sample struct {
	schema *ast.Schema
	all    bool
}

// withNulls returns arguments with a null at one place after the other, wherever one is
// allowed.
func (s sample) withNulls(arguments ast.ArgumentDefinitionList) (list []object) {
	base := func() object {
		values := object{}
		for _, a := range arguments {
			if s.wanted(a.Type, a.DefaultValue) {
				values[a.Name] = s.value(a.Name, a.Type, 0)
			}
		}
		return values
	}
	list = append(list, base())
	for _, a := range arguments {
		for _, value := range s.nulls(a.Name, a.Type, 0) {
			one := base()
			one[a.Name] = value
			list = append(list, one)
		}
	}
	return list
}

// maxInputDepth bounds how deep inputs are filled: some contain themselves.
const maxInputDepth = 4

func (s sample) wanted(t *ast.Type, fallback *ast.Value) bool {
	return s.all || t.NonNull && fallback == nil
}

// nulls returns the values of a type that are null, or have a null in one place.
func (s sample) nulls(name string, t *ast.Type, depth int) (values []any) {
	if !t.NonNull {
		values = append(values, nil)
	}
	if t.Elem != nil {
		for _, one := range s.nulls(name, t.Elem, depth) {
			values = append(values, []any{one})
		}
		return values
	}
	definition := s.schema.Types[t.NamedType]
	if definition.Kind != ast.InputObject || depth == maxInputDepth {
		return values
	}
	for _, f := range definition.Fields {
		for _, one := range s.nulls(f.Name, f.Type, depth+1) {
			input := s.value(name, t, depth).(object)
			input[f.Name] = one
			values = append(values, input)
		}
	}
	return values
}

// value returns a value of a type.
func (s sample) value(name string, t *ast.Type, depth int) any {
	if t.Elem != nil {
		return []any{s.value(name, t.Elem, depth)}
	}
	definition := s.schema.Types[t.NamedType]
	switch definition.Kind {
	case ast.Enum:
		return definition.EnumValues[0].Name
	case ast.InputObject:
		input := object{}
		for _, f := range definition.Fields {
			if s.wanted(f.Type, f.DefaultValue) && (depth < maxInputDepth || f.Type.NonNull) {
				input[f.Name] = s.value(f.Name, f.Type, depth+1)
			}
		}
		return input
	}
	switch t.NamedType {
	case "Int", "Long":
		return 20
	case "Boolean":
		return false
	case "Date":
		return "2026-01-01"
	case "DateTime":
		return "2026-01-01T00:00:00Z"
	case "Decimal":
		return "49.90"
	case "JSON":
		return object{}
	}
	return s.text(name)
}

// text returns a text that is good for a name of a field, so that requests come far.
func (s sample) text(name string) string {
	switch {
	case name == "agentCode" || name == "rootAgentCode":
		return "A1"
	case name == "team":
		return "default"
	case name == "url":
		return "https://hooks.example.com/x"
	case name == "scopes":
		return "read:agents"
	case slices.Contains([]string{"status", "payStatus"}, name):
		return "Active"
	}
	return "x"
}
