package rest

import (
	"maps"

	"github.com/getkin/kin-openapi/openapi3"
)

// older turns an OpenAPI 3.1 document into one of 3.0, for generators that know no
// other: null is nullable, a constant is an enum of one, and nothing stands beside
// a reference. It changes the document.
func older(document *openapi3.T) {
	document.OpenAPI = "3.0.3"
	document.Info.License = &openapi3.License{Name: document.Info.License.Name, URL: "https://www.apache.org/licenses/LICENSE-2.0.html"}
	olderSchemas(document.Components.Schemas)
	olderResponses(document.Components.Responses)
	for _, item := range document.Paths.Map() {
		for _, operation := range item.Operations() {
			for _, p := range operation.Parameters {
				p.Value.Schema = olderSchema(p.Value.Schema)
			}
			if operation.RequestBody != nil {
				olderContent(operation.RequestBody.Value.Content)
			}
			olderResponses(operation.Responses.Map())
		}
	}
}

func olderResponses(responses map[string]*openapi3.ResponseRef) {
	for _, r := range responses {
		if r.Ref != "" {
			continue
		}
		olderContent(r.Value.Content)
		for _, h := range r.Value.Headers {
			h.Value.Schema = olderSchema(h.Value.Schema)
		}
	}
}

func olderContent(content openapi3.Content) {
	for _, media := range content {
		media.Schema = olderSchema(media.Schema)
	}
}

func olderSchemas(schemas openapi3.Schemas) {
	for name, schema := range maps.All(schemas) {
		schemas[name] = olderSchema(schema)
	}
}

// olderSchema returns a schema of 3.0 that accepts what one of 3.1 does.
func olderSchema(schema *openapi3.SchemaRef) *openapi3.SchemaRef {
	if schema == nil {
		return nil
	}
	if schema.Ref != "" {
		description, _ := schema.Extensions["description"].(string)
		if description == "" {
			return schema
		}
		return &openapi3.SchemaRef{Value: &openapi3.Schema{AllOf: openapi3.SchemaRefs{{Ref: schema.Ref}}, Description: description}}
	}
	v := *schema.Value
	if types := v.Type.Slice(); len(types) == 2 {
		v.Type, v.Nullable = &openapi3.Types{types[0]}, true
	}
	if len(v.AnyOf) == 2 && v.AnyOf[1].Value != nil && v.AnyOf[1].Value.Type.Is("null") {
		v.AnyOf, v.AllOf, v.Nullable = nil, openapi3.SchemaRefs{{Ref: v.AnyOf[0].Ref}}, true
	}
	if v.Const != nil {
		v.Const, v.Enum = nil, []any{v.Const}
	}
	v.Items, v.AdditionalProperties.Schema = olderSchema(v.Items), olderSchema(v.AdditionalProperties.Schema)
	v.Properties = maps.Clone(v.Properties)
	olderSchemas(v.Properties)
	return &openapi3.SchemaRef{Value: &v}
}
