package rest_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// located is an operation of the document, and where it is.
type located struct {
	*openapi3.Operation
	path, method string
}

// operationsOf returns those of a document in an order: what deletes comes last, since
// it has no dry run and others need what it takes away.
func operationsOf(document *openapi3.T) (all []located) {
	for path, item := range document.Paths.Map() {
		for method, o := range item.Operations() {
			all = append(all, located{o, path, method})
		}
	}
	slices.SortFunc(all, func(a, b located) int {
		late := func(o located) string {
			if o.method == http.MethodDelete {
				return "1"
			}
			return "0"
		}
		return strings.Compare(late(a)+a.path+" "+a.method, late(b)+b.path+" "+b.method)
	})
	return all
}

// place is where a request can hold too much.
type place struct {
	name   string // as bounds.json has it
	path   []any  // names and indices from the body; the name alone in a query
	query  bool
	schema *openapi3.Schema
}

// placesOf returns those of an operation.
func placesOf(o *openapi3.Operation) (all []place) {
	for _, p := range o.Parameters {
		if v := p.Value; v.In == "query" && !slices.Contains([]string{"page", "pageIndex", "pageSize", "sort"}, v.Name) {
			all = append(all, place{o.OperationID + "." + v.Name, []any{v.Name}, true, v.Schema.Value})
		}
	}
	var visit func(ref *openapi3.SchemaRef, path []any, name string)
	visit = func(ref *openapi3.SchemaRef, path []any, name string) {
		schema, component := plain(ref)
		all = append(all, place{name, path, false, schema})
		if schema.Items != nil {
			visit(schema.Items, append(slices.Clone(path), 0), name+"[]")
		}
		if values := schema.AdditionalProperties.Schema; values != nil {
			visit(values, append(slices.Clone(path), "default"), name+".*")
		}
		for _, property := range slices.Sorted(maps.Keys(schema.Properties)) {
			visit(schema.Properties[property], append(slices.Clone(path), property), strings.TrimSuffix(component, "OrMore")+"."+property)
		}
	}
	if o.RequestBody != nil {
		visit(o.RequestBody.Value.Content["application/json"].Schema, nil, "")
	}
	return slices.DeleteFunc(all, func(p place) bool { return p.kind() == "" })
}

// plain returns a schema without null, and the name of its component.
func plain(ref *openapi3.SchemaRef) (*openapi3.Schema, string) {
	if len(ref.Value.AnyOf) > 0 {
		ref = ref.Value.AnyOf[0]
	}
	return ref.Value, strings.TrimPrefix(ref.Ref, "#/components/schemas/")
}

// kind is the type of a place that may have a bound, "" for one that cannot have any.
func (p place) kind() string {
	kinds := p.schema.Type.Slice()
	if len(kinds) == 0 || len(p.schema.Enum) > 0 || strings.HasPrefix(p.schema.Format, "date") || !slices.Contains([]string{"string", "integer", "array"}, kinds[0]) {
		return ""
	}
	return kinds[0]
}

// filled is a value with what a schema requires.
func filled(ref *openapi3.SchemaRef) any {
	schema, _ := plain(ref)
	switch kind := schema.Type.Slice()[0]; {
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case schema.Format == "date":
		return "2026-01-01"
	case kind == "object":
		object := map[string]any{}
		for _, name := range schema.Required {
			object[name] = filled(schema.Properties[name])
		}
		return object
	case kind == "array":
		return []any{}
	case kind == "string":
		return "x"
	default:
		return map[string]any{"integer": 1, "boolean": false}[kind]
	}
}

// sized is a value of a place that is as long or large as that.
func (p place) sized(n int) any {
	switch p.kind() {
	case "string":
		return strings.Repeat("x", n)
	case "array":
		list := make([]any, n)
		for i := range list {
			list[i] = filled(p.schema.Items)
		}
		return list
	default:
		return n
	}
}

// putAt returns a value with another one at a path.
func putAt(ref *openapi3.SchemaRef, at any, path []any, value any) any {
	if len(path) == 0 {
		return value
	}
	schema, _ := plain(ref)
	if _, ok := path[0].(int); ok {
		list, _ := at.([]any)
		if list = slices.Clone(list); len(list) == 0 {
			list = []any{filled(schema.Items)}
		}
		list[0] = putAt(schema.Items, list[0], path[1:], value)
		return list
	}
	object, _ := at.(map[string]any)
	if object = maps.Clone(object); object == nil {
		object = filled(ref).(map[string]any)
	}
	name := path[0].(string)
	next := schema.Properties[name]
	if next == nil {
		next = schema.AdditionalProperties.Schema
	}
	object[name] = putAt(next, object[name], path[1:], value)
	return object
}
