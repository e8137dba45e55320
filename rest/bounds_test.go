package rest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/internal/oauth"
	"github.com/uplinehq/upline/internal/store/dbtest"
	"github.com/uplinehq/upline/rest"
)

const boundsPath = "bounds.json"

// TestBounds sends far too much of everything to every operation, and records the bounds
// that are named in the refusals: those are what the OpenAPI document says. What is just
// inside is not refused for it, what is just outside is.
func TestBounds(t *testing.T) {
	document, err := rest.OpenAPI(graph.Schema(), "")
	if err != nil {
		t.Fatal(err)
	}
	described, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(t, dbtest.SQLite(t))
	token := server.Token(oauth.TenantScopes()...)
	recorded := map[string]map[string]any{}
	for path, item := range described.Paths.Map() {
		for method, o := range item.Operations() {
			for _, p := range placesOf(o) {
				ask := func(value any) refusal { return p.ask(t, server.Handler, token, method, path, o, value) }
				bounds := p.bounds(ask)
				p.demand(t, o.OperationID, bounds, ask)
				for name, value := range bounds {
					if known, ok := recorded[p.name][name]; ok && known != value {
						t.Errorf("%s: the %s of %s is %v, elsewhere %v", o.OperationID, name, p.name, value, known)
					}
					if recorded[p.name] == nil {
						recorded[p.name] = map[string]any{}
					}
					recorded[p.name][name] = value
				}
			}
		}
	}
	text, err := json.MarshalIndent(recorded, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update && !t.Failed() {
		if err := os.WriteFile(boundsPath, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if committed, err := os.ReadFile(boundsPath); err != nil || !bytes.Equal(committed, text) {
		t.Errorf("%s is out of date (go test ./rest -run TestBounds -update): %v", boundsPath, err)
	}
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
	if o.RequestBody == nil {
		return all
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
		for property, value := range schema.Properties {
			visit(value, append(slices.Clone(path), property), strings.TrimSuffix(component, "OrMore")+"."+property)
		}
	}
	visit(o.RequestBody.Value.Content["application/json"].Schema, nil, "")
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

// refusal is what a server says of a place: nothing when it takes what it is sent.
type refusal struct {
	code    string
	details map[string]any
}

// ask sends the example of an operation with a value at a place.
func (p place) ask(t *testing.T, server http.Handler, token, method, path string, o *openapi3.Operation, value any) refusal {
	t.Helper()
	query := url.Values{}
	for _, parameter := range o.Parameters {
		if v := parameter.Value; v.In == "path" {
			path = strings.ReplaceAll(path, "{"+v.Name+"}", fmt.Sprint(v.Example))
		}
	}
	var body []byte
	if list, ok := value.([]any); p.query && ok {
		for _, item := range list {
			query.Add(p.path[0].(string), fmt.Sprint(item))
		}
	} else if p.query {
		query.Set(p.path[0].(string), fmt.Sprint(value))
	} else {
		media := o.RequestBody.Value.Content["application/json"]
		var err error
		if body, err = json.Marshal(putAt(media.Schema, media.Example, p.path, value)); err != nil {
			t.Fatal(err)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path+"?"+query.Encode(), bytes.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	var problem struct {
		Details map[string]any
		Errors  []struct{ Field, Code string }
	}
	if w.Code < 400 {
		return refusal{}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || w.Code >= 500 {
		t.Fatalf("%s: %d %s", o.OperationID, w.Code, w.Body)
	}
	field := strings.Trim(strings.ReplaceAll(fmt.Sprint(p.path), " ", "."), "[]")
	for i, e := range problem.Errors {
		if e.Field == field && i == 0 {
			return refusal{e.Code, problem.Details}
		}
		if e.Field == field {
			return refusal{e.Code, nil}
		}
	}
	return refusal{}
}

// badForm fits no form that a text must have.
const badForm = "-é/"

// bounds returns those of a place.
func (p place) bounds(ask func(any) refusal) map[string]any {
	bounds := map[string]any{}
	note := func(name string, of refusal, key, code string) {
		if of.code == code && of.details[key] != nil {
			bounds[name] = of.details[key]
		}
	}
	switch p.kind() {
	case "string":
		longest := 70_000
		if p.query {
			longest = 2_000
		}
		note("maxLength", ask(p.sized(longest)), "max", "TOO_LONG")
		note("pattern", ask(badForm), "pattern", "INVALID_FORMAT")
	case "array":
		most := 1_001
		if p.query {
			most = 300
		}
		note("maxItems", ask(p.sized(most)), "max", "OUT_OF_RANGE")
	case "integer":
		note("maximum", ask(math.MaxInt32), "max", "OUT_OF_RANGE")
		note("minimum", ask(math.MinInt32), "min", "OUT_OF_RANGE")
	}
	return bounds
}

// demand asks just inside and just outside of the bounds.
func (p place) demand(t *testing.T, operation string, bounds map[string]any, ask func(any) refusal) {
	t.Helper()
	for name, value := range bounds {
		limit, ok := value.(float64)
		if !ok {
			continue
		}
		beyond, code := 1, "OUT_OF_RANGE"
		if name == "maxLength" {
			code = "TOO_LONG"
		}
		if name == "minimum" {
			beyond = -1
		}
		if got := ask(p.sized(int(limit))); got.code == code {
			t.Errorf("%s: %s: the %s %v itself is refused", operation, p.name, name, limit)
		}
		if got := ask(p.sized(int(limit) + beyond)); got.code != code {
			t.Errorf("%s: %s: more than the %s %v: %q, want %s", operation, p.name, name, limit, got.code, code)
		}
	}
}
