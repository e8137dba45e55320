package rest

import (
	"fmt"
	"reflect"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/enum"
)

// scalarSchemas are the JSON Schemas of the scalars. Any value fits another one.
var scalarSchemas = map[string]object{
	"String":   {"type": "string"},
	"ID":       {"type": "string"},
	"Boolean":  {"type": "boolean"},
	"Int":      {"type": "integer", "format": "int32"},
	"Date":     {"type": "string", "format": "date"},
	"Decimal":  {"type": "string", "format": "decimal"},
	"DateTime": {"type": "string", "format": "date-time"},
	"JSON":     {"type": "object", "additionalProperties": true},
}

func scalarSchema(name string) object {
	copied := object{}
	for k, v := range scalarSchemas[name] {
		copied[k] = v
	}
	return copied
}

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

func arrayOf(items object) object { return object{"type": "array", "items": items} }

// nullable lets a schema accept null besides.
func nullable(schema object) object {
	kind, ok := schema["type"].(string)
	if !ok {
		return object{"anyOf": []any{schema, object{"type": "null"}}}
	}
	schema["type"] = []string{kind, "null"}
	if values, ok := schema["enum"].([]any); ok {
		schema["enum"] = append(values, nil)
	}
	return schema
}

// withoutNull undoes nullable for a parameter, which cannot be null.
func withoutNull(schema object) object {
	if kinds, ok := schema["type"].([]string); ok {
		schema["type"] = kinds[0]
	}
	if values, ok := schema["enum"].([]any); ok && values[len(values)-1] == nil {
		schema["enum"] = values[:len(values)-1]
	}
	return schema
}

func enumSchema(def *ast.Definition) object {
	values := []any{}
	for _, v := range restValues(def) {
		values = append(values, v)
	}
	return object{"type": "string", "enum": values}
}

// input describes a value of a request.
func (d *describer) input(t *ast.Type) object {
	var schema object
	def := d.schema.Types[t.Name()]
	switch {
	case t.Elem != nil:
		schema = arrayOf(d.input(t.Elem))
	case def.Kind == ast.InputObject:
		schema = d.inputObject(def)
	case def.Kind == ast.Enum:
		schema = enumSchema(def)
	default:
		schema = scalarSchema(def.Name)
	}
	if t.NonNull {
		return schema
	}
	return nullable(schema)
}

func (d *describer) inputObject(def *ast.Definition) object {
	component := def.Name
	schema := object{"type": "object", "description": def.Description, "additionalProperties": false}
	if d.takesMore {
		component += "OrMore"
		delete(schema, "additionalProperties")
	}
	if _, done := d.components[component]; done {
		return ref(component)
	}
	d.components[component] = schema
	properties, required := object{}, []string{}
	for _, field := range def.Fields {
		name := inputName(def, field)
		properties[name] = d.inputField(def, field)
		if field.Type.NonNull && field.DefaultValue == nil {
			required = append(required, name)
		}
	}
	schema["properties"], schema["required"] = properties, required
	return ref(component)
}

func (d *describer) inputField(def *ast.Definition, field *ast.FieldDefinition) object {
	var schema object
	if entry, ok := dictionaries[def.Name+"."+field.Name]; ok {
		value := d.schema.Types[field.Type.Name()].Fields.ForName(entry.value).Type
		schema = object{"type": "object", "additionalProperties": d.input(value)}
	} else {
		schema = d.input(field.Type)
	}
	schema["description"] = field.Description
	if field.DefaultValue != nil && field.DefaultValue.Kind == ast.EnumValue {
		schema["default"] = enum.Spelled(field.DefaultValue.Raw)
	}
	return schema
}

// result describes the body of a success.
func (d *describer) result(e *endpoint) (object, error) {
	rows := e.rows
	if e.route.outcome == listed || e.route.outcome == array {
		rows = rows.elem
	}
	record, err := d.record(rows)
	if err != nil {
		return nil, err
	}
	for property, note := range e.route.shape.notes {
		record["properties"].(object)[property].(object)["description"] = note
	}
	if e.route.outcome == tabled {
		properties := record["properties"].(object)
		properties["pageIndex"] = object{"type": "integer", "description": "The page, from 1."}
		properties["pageSize"] = object{"type": "integer", "description": "Rows in a page."}
	}
	name := e.route.shape.name
	if err := d.define(name, record); err != nil {
		return nil, err
	}
	switch e.route.outcome {
	case array:
		return arrayOf(ref(name)), nil
	case listed:
		return d.page(name)
	default:
		return ref(name), nil
	}
}

// page describes the paged envelope of a record (specification, "Paged
// envelope").
func (d *describer) page(name string) (object, error) {
	page := object{
		"type":     "object",
		"required": []string{"pageIndex", "pageSize", "totalCount", "items"},
		"properties": object{
			"pageIndex":  object{"type": "integer", "description": "The page, from 1."},
			"pageSize":   object{"type": "integer", "description": "Rows in a page."},
			"totalCount": object{"type": "integer", "description": "Matching items across all pages."},
			"items":      arrayOf(ref(name)),
		},
	}
	return ref(name + "Page"), d.define(name+"Page", page)
}

// define adds a component. A name stands for one schema: two operations that
// answer the same record must select the same.
func (d *describer) define(name string, schema object) error {
	if existing, ok := d.components[name]; ok && !reflect.DeepEqual(existing, schema) {
		return fmt.Errorf("the record %s is not the same as that of another operation", name)
	}
	d.components[name] = schema
	return nil
}

// record describes an object with the members that are written.
func (d *describer) record(p *plan) (object, error) {
	properties, required := object{}, []string{}
	var add func(*plan) error
	add = func(p *plan) error {
		for _, m := range p.members {
			if m.drop || m.name == p.keyedBy {
				continue
			}
			if m.spread {
				if err := add(m.plan); err != nil {
					return err
				}
				continue
			}
			schema, err := d.output(m.plan, m.absent)
			if err != nil {
				return err
			}
			schema["description"] = m.description
			properties[m.name] = schema
			if !m.absent {
				required = append(required, m.name)
			}
		}
		return nil
	}
	err := add(p)
	return object{"type": "object", "properties": properties, "required": required}, err
}

// output describes a value of a response. One that is absent when empty is
// never null.
func (d *describer) output(p *plan, absent bool) (schema object, err error) {
	null := !p.typ.NonNull
	switch p.kind {
	case enumPlan:
		schema = d.input(ast.NonNullNamedType(p.typ.NamedType, nil))
	case listPlan:
		if schema, err = d.output(p.elem, false); err == nil {
			schema = arrayOf(schema)
		}
	case entriesPlan:
		if schema, err = d.output(p.elem.members[1].plan, false); err == nil {
			schema = object{"type": "object", "additionalProperties": schema}
		}
	case singlePlan:
		only := p.members[0].plan
		schema, err = d.output(only, true)
		null = null || !only.typ.NonNull
	case objectPlan:
		schema, err = d.nested(p)
	default:
		schema = scalarSchema(p.typ.NamedType)
	}
	if err == nil && null && !absent {
		schema = nullable(schema)
	}
	return schema, err
}

// nested describes an object inside a record: a component with the name of its
// type.
func (d *describer) nested(p *plan) (object, error) {
	record, err := d.record(p)
	if err != nil {
		return nil, err
	}
	name := p.typ.NamedType
	if err := d.define(name, record); err != nil {
		return nil, err
	}
	if p.keyedBy != "" {
		return object{"type": "object", "additionalProperties": ref(name)}, nil
	}
	return ref(name), nil
}
