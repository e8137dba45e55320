package rest

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/rest/input"
	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/record"
)

// scalarSchemas are the JSON Schemas of the scalars. A scalar without one has the schema
// that accepts any value.
var scalarSchemas = map[string]openapi3.Schema{
	"String":   {Type: &openapi3.Types{"string"}},
	"ID":       {Type: &openapi3.Types{"string"}},
	"Boolean":  {Type: &openapi3.Types{"boolean"}},
	"Int":      {Type: &openapi3.Types{"integer"}, Format: "int32"},
	"Long":     {Type: &openapi3.Types{"integer"}, Format: "int64"},
	"Date":     {Type: &openapi3.Types{"string"}, Format: "date"},
	"Decimal":  {Type: &openapi3.Types{"string"}, Format: "decimal"},
	"DateTime": {Type: &openapi3.Types{"string"}, Format: "date-time"},
	"JSON":     {Type: &openapi3.Types{"object"}, AdditionalProperties: openapi3.AdditionalProperties{Has: openapi3.Ptr(true)}},
}

func scalarSchema(name string) *openapi3.SchemaRef {
	copied := scalarSchemas[name]
	return &openapi3.SchemaRef{Value: &copied}
}

// typed returns the schema of a JSON type.
func typed(kind string) *openapi3.SchemaRef {
	return &openapi3.SchemaRef{Value: &openapi3.Schema{Type: &openapi3.Types{kind}}}
}

// componentPath is where references find the schemas that have a name.
const componentPath = "#/components/schemas/"

func ref(name string) *openapi3.SchemaRef {
	return &openapi3.SchemaRef{Ref: componentPath + name}
}

func arrayOf(items *openapi3.SchemaRef) *openapi3.SchemaRef {
	list := typed("array")
	list.Value.Items = items
	return list
}

// dictionaryOf describes an object whose properties all have the same schema.
func dictionaryOf(values *openapi3.SchemaRef) *openapi3.SchemaRef {
	object := typed("object")
	object.Value.AdditionalProperties.Schema = values
	return object
}

// describeAs sets the description of a schema, which may be a reference.
func describeAs(schema *openapi3.SchemaRef, description string) *openapi3.SchemaRef {
	switch {
	case description == "":
	case schema.Ref != "":
		schema.Extensions = map[string]any{"description": description}
	default:
		schema.Value.Description = description
	}
	return schema
}

// nullable returns a schema that accepts null as well.
func nullable(schema *openapi3.SchemaRef) *openapi3.SchemaRef {
	if schema.Ref != "" || schema.Value.Type == nil {
		return &openapi3.SchemaRef{Value: &openapi3.Schema{AnyOf: openapi3.SchemaRefs{schema, typed("null")}}}
	}
	schema.Value.Type = &openapi3.Types{(*schema.Value.Type)[0], "null"}
	if len(schema.Value.Enum) > 0 {
		schema.Value.Enum = append(schema.Value.Enum, nil)
	}
	return schema
}

// withoutNull undoes nullable, for a parameter: it can be left out, but not be null.
func withoutNull(schema *openapi3.SchemaRef) *openapi3.SchemaRef {
	v := schema.Value
	v.Type = &openapi3.Types{(*v.Type)[0]}
	if n := len(v.Enum); n > 0 && v.Enum[n-1] == nil {
		v.Enum = v.Enum[:n-1]
	}
	return schema
}

func enumSchema(def *ast.Definition) *openapi3.SchemaRef {
	schema := typed("string")
	for _, v := range input.Values(def) {
		schema.Value.Enum = append(schema.Value.Enum, v)
	}
	return schema
}

// input describes a value of a request.
func (d *describer) input(t *ast.Type) *openapi3.SchemaRef {
	var schema *openapi3.SchemaRef
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

func (d *describer) inputObject(def *ast.Definition) *openapi3.SchemaRef {
	component := def.Name
	schema := describeAs(typed("object"), d.words.text(def.Description))
	schema.Value.AdditionalProperties.Has = openapi3.Ptr(d.takesMore)
	if d.takesMore {
		component += "OrMore"
	}
	if _, done := d.components[component]; done {
		return ref(component)
	}
	d.components[component] = schema
	schema.Value.Properties = openapi3.Schemas{}
	for _, field := range def.Fields {
		if d.masked && input.HoldsSensitive(d.schema, field) {
			continue
		}
		name := input.NameOf(def, field)
		schema.Value.Properties[name] = d.inputField(def, field)
		if field.Type.NonNull && field.DefaultValue == nil {
			schema.Value.Required = append(schema.Value.Required, name)
		}
	}
	return ref(component)
}

func (d *describer) inputField(def *ast.Definition, field *ast.FieldDefinition) *openapi3.SchemaRef {
	var schema *openapi3.SchemaRef
	if entry, ok := paths.Dictionaries[def.Name+"."+field.Name]; ok {
		schema = dictionaryOf(d.input(d.schema.Types[field.Type.Name()].Fields.ForName(entry.Value).Type))
		if !field.Type.NonNull {
			schema = nullable(schema)
		}
	} else {
		schema = d.input(field.Type)
	}
	if field.DefaultValue != nil && field.DefaultValue.Kind == ast.EnumValue {
		schema.Value.Default = enum.Spelled(field.DefaultValue.Raw)
	}
	return describeAs(bounded(def.Name+"."+input.NameOf(def, field), schema), d.words.text(field.Description))
}

// result describes the body of a success.
func (d *describer) result(e *endpoint) (*openapi3.SchemaRef, error) {
	rows := e.rows
	if e.route.Outcome == paths.Listed || e.route.Outcome == paths.Array {
		rows = rows.Elem
	}
	name := e.route.Shape.Name
	object, err := d.record(name, rows)
	if err != nil {
		return nil, err
	}
	for property, note := range e.route.Shape.Notes {
		describeAs(object.Value.Properties[property], note)
	}
	if e.route.Outcome == paths.Tabled {
		object.Value.Properties["pageIndex"] = describeAs(typed("integer"), pageWords["pageIndex"])
		object.Value.Properties["pageSize"] = describeAs(typed("integer"), pageWords["pageSize"])
		object.Value.Required = append(object.Value.Required, "pageIndex", "pageSize")
	}
	if err := d.define(name, object); err != nil {
		return nil, err
	}
	switch e.route.Outcome {
	case paths.Array:
		return describeAs(arrayOf(ref(name)), "All of them, or the page that was asked for."), nil
	case paths.Listed:
		return d.page(name)
	default:
		return ref(name), nil
	}
}

// pageWords describe the properties of the paged envelope.
var pageWords = map[string]string{"pageIndex": "The page, from 1.", "pageSize": "Rows in a page.", "totalCount": "Matching items across all pages."}

// page describes the paged envelope of a record (specification, "Paged envelope").
func (d *describer) page(name string) (*openapi3.SchemaRef, error) {
	page := describeAs(typed("object"), "A page of a list.")
	page.Value.Required = []string{"pageIndex", "pageSize", "totalCount", "items"}
	page.Value.Properties = openapi3.Schemas{"items": describeAs(arrayOf(ref(name)), "The rows of the page.")}
	for property, text := range pageWords {
		page.Value.Properties[property] = describeAs(typed("integer"), text)
	}
	return ref(name + "Page"), d.define(name+"Page", page)
}

// define adds a component. Operations that answer records of the same name must select
// the same fields.
func (d *describer) define(name string, schema *openapi3.SchemaRef) error {
	if existing, ok := d.components[name]; ok && !reflect.DeepEqual(existing, schema) {
		return fmt.Errorf("the record %s is not the same as that of another operation", name)
	}
	d.components[name] = schema
	return nil
}

// record describes an object with the members that are written. Its description is that
// of the type with the record's name, or else that of the value's type.
func (d *describer) record(name string, p *record.Plan) (*openapi3.SchemaRef, error) {
	def := d.schema.Types[name]
	if def == nil {
		def = d.schema.Types[p.Type.Name()]
	}
	object := describeAs(typed("object"), d.words.text(def.Description))
	object.Value.Properties = openapi3.Schemas{}
	var add func(*record.Plan) error
	add = func(p *record.Plan) error {
		for _, m := range p.Members {
			if m.Drop || m.Name == p.KeyedBy {
				continue
			}
			if m.Spread {
				if err := add(m.Plan); err != nil {
					return err
				}
				continue
			}
			schema, err := d.output(m.Plan, m.Absent)
			if err != nil {
				return err
			}
			object.Value.Properties[m.Name] = describeAs(schema, d.words.property(m))
			if !m.Absent {
				object.Value.Required = append(object.Value.Required, m.Name)
			}
		}
		return nil
	}
	return object, add(p)
}

// output describes a value of a response. A value that is absent when it is empty is
// never null.
func (d *describer) output(p *record.Plan, absent bool) (schema *openapi3.SchemaRef, err error) {
	null := !p.Type.NonNull
	switch p.Kind {
	case record.Enum:
		schema = d.input(ast.NonNullNamedType(p.Type.NamedType, nil))
	case record.List:
		if schema, err = d.output(p.Elem, false); err == nil {
			schema = arrayOf(schema)
		}
	case record.Entries:
		schema, err = d.entries(p)
	case record.Single:
		only := p.Members[0].Plan
		schema, err = d.output(only, true)
		null = null || !only.Type.NonNull
	case record.Object:
		schema, err = d.nested(p)
	default:
		schema = scalarSchema(p.Type.NamedType)
	}
	if err == nil && null && !absent {
		schema = nullable(schema)
	}
	return schema, err
}

// entries describes a dictionary as a component: WebhookHeaders for entries of type
// WebhookHeader. Without a component, generators would name the type of a property
// headers as they name the headers of a response, and the names would clash.
func (d *describer) entries(p *record.Plan) (*openapi3.SchemaRef, error) {
	values, err := d.output(p.Elem.Members[1].Plan, false)
	if err != nil {
		return nil, err
	}
	name := p.Type.Name() + "s"
	return ref(name), d.define(name, describeAs(dictionaryOf(values), "Values by their names."))
}

// recordNames are the types that have another name in the document. Generators name the
// result of an operation x XResponse, so no type may have such a name.
var recordNames = map[string]string{"ApplicationResponse": "ApplicationAnswer"}

// nested describes an object inside a record as a component with the name of its type.
func (d *describer) nested(p *record.Plan) (*openapi3.SchemaRef, error) {
	name := cmp.Or(recordNames[p.Type.NamedType], p.Type.NamedType)
	object, err := d.record(name, p)
	if err != nil {
		return nil, err
	}
	if err := d.define(name, object); err != nil {
		return nil, err
	}
	if p.KeyedBy != "" {
		return dictionaryOf(ref(name)), nil
	}
	return ref(name), nil
}

// describer builds the OpenAPI document from what exists already: paths come from the
// table, parameters and bodies from the operations, descriptions from the schema,
// examples from the transcripts.
type describer struct {
	// takesMore is set while it describes a body that may have properties unknown to its
	// type.
	takesMore bool
	// masked leaves out sensitive values, for callers who neither see nor send them.
	masked     bool
	schema     *ast.Schema
	words      wording
	examples   recordedExamples
	components openapi3.Schemas
	scopes     map[string]string
}

func response(description string, content openapi3.Content, headers openapi3.Headers) *openapi3.ResponseRef {
	return &openapi3.ResponseRef{Value: &openapi3.Response{Description: &description, Content: content, Headers: headers}}
}

func refResponse(name string) *openapi3.ResponseRef {
	return &openapi3.ResponseRef{Ref: "#/components/responses/" + name}
}

// header describes a header of a response.
func header(description, kind string) *openapi3.HeaderRef {
	return &openapi3.HeaderRef{Value: &openapi3.Header{Parameter: openapi3.Parameter{Description: description, Schema: typed(kind)}}}
}

// countHeader describes a header that holds a number.
func countHeader(description string, least float64) *openapi3.HeaderRef {
	h := header(description, "integer")
	h.Value.Schema.Value.Min = &least
	return h
}
