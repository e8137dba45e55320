// Package openapi30 writes an OpenAPI 3.1 document as one of 3.0.
package openapi30

import (
	"maps"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Rewrite turns an OpenAPI 3.1 document into one of 3.0, for generators that know only that
// version. There, null is the property nullable, a constant is an enum with one value,
// and a reference has no siblings. Rewrite changes the document in place.
func Rewrite(document *openapi3.T) {
	document.OpenAPI = "3.0.3"
	document.Info.License = &openapi3.License{Name: document.Info.License.Name, URL: "https://www.apache.org/licenses/LICENSE-2.0.html"}
	w := writer{nullable: map[string]bool{}, used: map[string]bool{}}
	w.schemas(document.Components.Schemas)
	w.responses(document.Components.Responses)
	for _, item := range document.Paths.Map() {
		for _, operation := range item.Operations() {
			for _, p := range operation.Parameters {
				p.Value.Schema = w.schema(p.Value.Schema)
			}
			if operation.RequestBody != nil {
				w.content(operation.RequestBody.Value.Content)
			}
			w.responses(operation.Responses.Map())
		}
	}
	w.addTwins(document.Components.Schemas)
}

// writer notes which components are used as they are, and which are used where null
// is allowed. A reference cannot be nullable in 3.0, so each of the latter gets a twin
// that is.
type writer struct{ nullable, used map[string]bool }

// addTwins adds the twins, and removes components of which only the twin is used.
func (w writer) addTwins(components openapi3.Schemas) {
	for name := range w.nullable {
		twin := *components[name].Value
		twin.Nullable = true
		components[nullablePrefix+name] = &openapi3.SchemaRef{Value: &twin}
		if !w.used[name] {
			delete(components, name)
		}
	}
}

const (
	nullablePrefix = "Nullable"
	schemaPrefix   = "#/components/schemas/"
)

func (w writer) responses(responses map[string]*openapi3.ResponseRef) {
	for _, r := range responses {
		if r.Ref != "" {
			continue
		}
		w.content(r.Value.Content)
		for _, extension := range r.Value.Extensions {
			if more, ok := extension.(openapi3.Content); ok {
				w.content(more)
			}
		}
		for _, h := range r.Value.Headers {
			h.Value.Schema = w.schema(h.Value.Schema)
		}
	}
}

func (w writer) content(content openapi3.Content) {
	for _, media := range content {
		media.Schema = w.schema(media.Schema)
	}
}

func (w writer) schemas(schemas openapi3.Schemas) {
	for name, schema := range maps.All(schemas) {
		schemas[name] = w.schema(schema)
	}
}

// schema returns the schema of 3.0 that accepts what a schema of 3.1 accepts.
func (w writer) schema(schema *openapi3.SchemaRef) *openapi3.SchemaRef {
	if schema == nil {
		return nil
	}
	if schema.Ref != "" {
		w.used[component(schema)] = true
		description, _ := schema.Extensions["description"].(string)
		return described(schema.Ref, description)
	}
	v := *schema.Value
	if len(v.AnyOf) == 2 { // a reference, or null
		name := component(v.AnyOf[0])
		w.nullable[name] = true
		return described(schemaPrefix+nullablePrefix+name, v.Description)
	}
	if types := v.Type.Slice(); len(types) == 2 {
		v.Type, v.Nullable = &openapi3.Types{types[0]}, true
	}
	if v.Const != nil {
		v.Const, v.Enum = nil, []any{v.Const}
	}
	v.Items, v.AdditionalProperties.Schema = w.schema(v.Items), w.schema(v.AdditionalProperties.Schema)
	for i, choice := range v.OneOf {
		v.OneOf[i] = w.schema(choice)
	}
	v.Properties = maps.Clone(v.Properties)
	w.schemas(v.Properties)
	return &openapi3.SchemaRef{Value: &v}
}

// component returns the name of the component that a reference refers to.
func component(reference *openapi3.SchemaRef) string {
	return strings.TrimPrefix(reference.Ref, schemaPrefix)
}

// described returns a reference, with a description of its own if it has one.
func described(reference, description string) *openapi3.SchemaRef {
	if description == "" {
		return &openapi3.SchemaRef{Ref: reference}
	}
	return &openapi3.SchemaRef{Value: &openapi3.Schema{AllOf: openapi3.SchemaRefs{{Ref: reference}}, Description: description}}
}
