package rest

import (
	"maps"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// older turns an OpenAPI 3.1 document into one of 3.0, for generators that know only that
// version. There, null is the property nullable, a constant is an enum with one value,
// and a reference has no siblings. older changes the document in place.
func older(document *openapi3.T) {
	document.OpenAPI = "3.0.3"
	document.Info.License = &openapi3.License{Name: document.Info.License.Name, URL: "https://www.apache.org/licenses/LICENSE-2.0.html"}
	o := olderWriter{nullable: map[string]bool{}, used: map[string]bool{}}
	o.schemas(document.Components.Schemas)
	o.responses(document.Components.Responses)
	for _, item := range document.Paths.Map() {
		for _, operation := range item.Operations() {
			for _, p := range operation.Parameters {
				p.Value.Schema = o.schema(p.Value.Schema)
			}
			if operation.RequestBody != nil {
				o.content(operation.RequestBody.Value.Content)
			}
			o.responses(operation.Responses.Map())
		}
	}
	o.addTwins(document.Components.Schemas)
}

// olderWriter notes which components are used as they are, and which are used where null
// is allowed. A reference cannot be nullable in 3.0, so each of the latter gets a twin
// that is.
type olderWriter struct{ nullable, used map[string]bool }

// addTwins adds the twins, and removes components of which only the twin is used.
func (o olderWriter) addTwins(components openapi3.Schemas) {
	for name := range o.nullable {
		twin := *components[name].Value
		twin.Nullable = true
		components[nullablePrefix+name] = &openapi3.SchemaRef{Value: &twin}
		if !o.used[name] {
			delete(components, name)
		}
	}
}

const nullablePrefix = "Nullable"

func (o olderWriter) responses(responses map[string]*openapi3.ResponseRef) {
	for _, r := range responses {
		if r.Ref != "" {
			continue
		}
		o.content(r.Value.Content)
		if more, ok := r.Value.Extensions[moreContent].(openapi3.Content); ok {
			o.content(more)
		}
		for _, h := range r.Value.Headers {
			h.Value.Schema = o.schema(h.Value.Schema)
		}
	}
}

func (o olderWriter) content(content openapi3.Content) {
	for _, media := range content {
		media.Schema = o.schema(media.Schema)
	}
}

func (o olderWriter) schemas(schemas openapi3.Schemas) {
	for name, schema := range maps.All(schemas) {
		schemas[name] = o.schema(schema)
	}
}

// schema returns the schema of 3.0 that accepts what a schema of 3.1 accepts.
func (o olderWriter) schema(schema *openapi3.SchemaRef) *openapi3.SchemaRef {
	if schema == nil {
		return nil
	}
	if schema.Ref != "" {
		o.used[component(schema)] = true
		description, _ := schema.Extensions["description"].(string)
		return described(schema.Ref, description)
	}
	v := *schema.Value
	if len(v.AnyOf) == 2 { // a reference, or null
		name := component(v.AnyOf[0])
		o.nullable[name] = true
		return described(ref(nullablePrefix+name).Ref, v.Description)
	}
	if types := v.Type.Slice(); len(types) == 2 {
		v.Type, v.Nullable = &openapi3.Types{types[0]}, true
	}
	if v.Const != nil {
		v.Const, v.Enum = nil, []any{v.Const}
	}
	v.Items, v.AdditionalProperties.Schema = o.schema(v.Items), o.schema(v.AdditionalProperties.Schema)
	for i, choice := range v.OneOf {
		v.OneOf[i] = o.schema(choice)
	}
	v.Properties = maps.Clone(v.Properties)
	o.schemas(v.Properties)
	return &openapi3.SchemaRef{Value: &v}
}

// component returns the name of the component that a reference refers to.
func component(reference *openapi3.SchemaRef) string {
	return strings.TrimPrefix(reference.Ref, ref("").Ref)
}

// described returns a reference, with a description of its own if it has one.
func described(reference, description string) *openapi3.SchemaRef {
	if description == "" {
		return &openapi3.SchemaRef{Ref: reference}
	}
	return &openapi3.SchemaRef{Value: &openapi3.Schema{AllOf: openapi3.SchemaRefs{{Ref: reference}}, Description: description}}
}
