package rest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/uplinehq/upline/rest/input"
	"github.com/uplinehq/upline/rest/paths"
)

// tool describes what a tool of an endpoint does, in the words of the OpenAPI document.
func (d *describer) tool(e *endpoint, effect effect) (Tool, error) {
	scope, err := d.scope(e.operation.Root.Definition)
	if err != nil {
		return Tool{}, fmt.Errorf("rest: %s: %w", e.route.Operation, err)
	}
	t := Tool{Name: e.operationID(), Purpose: purposeOf(e, effect), endpoint: e, effect: effect, Description: d.words.operation(e)}
	if scope != "" {
		t.Scopes = append(t.Scopes, scope)
	}
	switch effect {
	case tries:
		t.Name = "preview" + strings.ToUpper(t.Name[:1]) + t.Name[1:]
		t.Description += "\n\nA dry run: nothing is changed, and the answer is what would be."
	case writes:
		t.Scopes = append(t.Scopes, writeScope)
		t.Description += "\n\nThis changes the agency's records."
	}
	if t.Input, err = d.arguments(t); err == nil {
		t.Output, err = d.answer(t)
	}
	return t, err
}

// answer returns the JSON Schema of a tool's answer, nil if that is no object.
func (d *describer) answer(t Tool) (json.RawMessage, error) {
	e := t.endpoint
	if emptyText[e.route.Outcome] != "" || e.route.Outcome == paths.Array {
		return nil, nil
	}
	if t.effect == tries {
		if err := d.preview(e); err != nil {
			return nil, err
		}
		return d.alone(d.components[previewName(e)])
	}
	schema, err := d.result(e)
	if err != nil {
		return nil, err
	}
	if schema.Ref != "" {
		schema = d.components[strings.TrimPrefix(schema.Ref, componentPath)]
	}
	return d.alone(schema)
}

// arguments returns the JSON Schema of a tool's arguments: the parameters of the path,
// without the tenant, which the tool's own address names, and the body.
func (d *describer) arguments(t Tool) (json.RawMessage, error) {
	object := typed("object")
	object.Value.AdditionalProperties.Has = openapi3.Ptr(false)
	object.Value.Properties = openapi3.Schemas{}
	add := func(name string, required bool, schema *openapi3.SchemaRef) {
		object.Value.Properties[name] = schema
		if required {
			object.Value.Required = append(object.Value.Required, name)
		}
	}
	e := t.endpoint
	for _, p := range d.parameters(e, recordedOperation{}) {
		p := p.Value
		name := p.Name
		if p.In == "header" {
			argument, ok := input.ArgumentOf(p.Name)
			if !ok || !t.Writes() {
				continue
			}
			name = argument
		}
		if name != paths.TenantParameter && !(e.changes() && name == dryRunVariable) {
			add(name, p.Required, describeAs(p.Schema, p.Description))
		}
	}
	if body := e.request.body; body != nil {
		d.takesMore, d.schema = paths.TakesMore[e.route.Operation], e.schema
		add(bodyArgument, true, d.input(body))
	}
	return d.alone(object)
}

// reference finds references to components in a schema, as JSON.
var reference = regexp.MustCompile(componentPath + `(\w+)`)

// alone writes a schema together with the components that it needs.
func (d *describer) alone(schema *openapi3.SchemaRef) (json.RawMessage, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	beside := map[string]json.RawMessage{}
	for next := [][]byte{text}; len(next) > 0; next = next[1:] {
		for _, found := range reference.FindAllSubmatch(next[0], -1) {
			name := string(found[1])
			if _, done := beside[name]; done {
				continue
			}
			component, err := json.Marshal(d.components[name])
			if err != nil {
				return nil, err
			}
			beside[name] = component
			next = append(next, component)
		}
	}
	if len(beside) == 0 {
		return text, nil
	}
	definitions, err := json.Marshal(beside)
	if err != nil {
		return nil, err
	}
	text = append(append(append(text[:len(text)-1], `,"$defs":`...), definitions...), '}')
	return reference.ReplaceAll(text, []byte("#/$$defs/$1")), nil
}
