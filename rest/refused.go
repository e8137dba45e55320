package rest

import (
	"fmt"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/input"
	"github.com/uplinehq/upline/rest/paths"
)

// userError is one of the userErrors of a mutation.
type userError struct {
	Code     problem.Code
	Category problem.Category
	Message  string
	Field    []string
	Details  map[string]any
}

// problems returns the failures of a mutation, with the field names of REST.
func (e *intake) problems(failures []userError, variables map[string]any) error {
	var list problem.List
	for _, f := range failures {
		list.Add(&problem.Error{
			Category: f.Category, Code: f.Code, Message: f.Message,
			Field: e.restField(f.Field, variables), Details: f.Details,
		})
	}
	return list.Err()
}

// refused returns the refusal in the top-level errors of a response. A refusal of the
// request itself outweighs refusals of its content, and a fault outweighs both.
func (e *intake) refused(errs gqlerror.List, variables map[string]any) error {
	var list problem.List
	for _, err := range errs {
		p := refusal.Of(err)
		if p == nil {
			// The server has logged the fault where it happened; the code says which
			// error to look for.
			return fmt.Errorf("rest: the operation failed with %v: %s", err.Extensions["code"], err.Message)
		}
		if p.Status != 0 {
			return p
		}
		named := *p
		named.Field = e.restField(p.Field, variables)
		list.Add(&named)
	}
	return list.Err()
}

// restField turns a path into a field's arguments into the name that a REST client knows:
// input.teams.0.membership.level becomes teams.default.level, first becomes pageSize.
func (e *intake) restField(steps []string, variables map[string]any) []string {
	if len(steps) == 0 {
		return nil
	}
	rest := steps[1:]
	switch name := e.variableOf(steps[0]); name {
	case inputVariable:
		// A key is in the path; the input of an operation without a body is no variable.
		if !e.inBody(rest) {
			return e.restField(rest, variables)
		}
		return restPath(e.schema, e.request.body, variables[name], rest)
	case filterVariable:
		for _, p := range e.request.filter {
			if len(rest) > 0 && p.Field == rest[0] {
				return []string{p.Name}
			}
		}
		return rest
	case parametersVariable:
		return rest
	case orderVariable:
		return []string{"sort"}
	case firstVariable, lastVariable:
		return []string{"pageSize"}
	case offsetVariable:
		return []string{e.api.Paging.Index}
	default:
		return append([]string{name}, rest...)
	}
}

// inBody reports whether a path into the input starts with one of its fields.
func (e *intake) inBody(steps []string) bool {
	if e.request.body == nil || len(steps) == 0 {
		return false
	}
	return e.schema.Types[e.request.body.Name()].Fields.ForName(steps[0]) != nil
}

// variableOf returns the variable, or the parameter of the path, whose value an argument or
// a field of the input takes: for code: $id it is id, the name in REST.
func (e *intake) variableOf(argument string) string {
	for name, field := range e.request.keys {
		if field == argument {
			return name
		}
	}
	for _, f := range []*ast.Field{e.operation.Root, e.answers()} {
		for _, a := range f.Arguments {
			if a.Name == argument && a.Value.Kind == ast.Variable {
				return a.Value.Raw
			}
			if field := a.Value.Children.ForName(argument); field != nil && field.Kind == ast.Variable {
				return field.Raw
			}
		}
	}
	return argument
}

// restPath turns a path into an input into a path of the body. The variables say which
// entry of a dictionary an index is.
func restPath(schema *ast.Schema, t *ast.Type, value any, steps []string) []string {
	if len(steps) == 0 {
		return nil
	}
	if t.Elem != nil {
		return append([]string{steps[0]}, restPath(schema, t.Elem, elementAt(value, steps[0]), steps[1:])...)
	}
	def := schema.Types[t.NamedType]
	field := def.Fields.ForName(steps[0])
	if field == nil {
		return steps
	}
	object, _ := value.(map[string]any)
	name, next := input.NameOf(def, field), object[field.Name]
	d, ok := paths.Dictionaries[def.Name+"."+field.Name]
	if !ok || len(steps) == 1 {
		return append([]string{name}, restPath(schema, field.Type, next, steps[1:])...)
	}
	entry, _ := elementAt(next, steps[1]).(map[string]any)
	restOfEntry := restPath(schema, schema.Types[field.Type.Name()].Fields.ForName(d.Value).Type, entry[d.Value], after(steps, 3))
	key, ok := entry[d.Key].(string)
	if !ok {
		return []string{name}
	}
	return append([]string{name, key}, restOfEntry...)
}

func elementAt(list any, index string) any {
	elements, _ := list.([]any)
	if i, err := strconv.Atoi(index); err == nil && i >= 0 && i < len(elements) {
		return elements[i]
	}
	return nil
}

// after returns the steps from the n-th on.
func after(steps []string, n int) []string { return steps[min(n, len(steps)):] }
