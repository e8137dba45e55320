package resttest

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Document is an OpenAPI 3.1 document that responses are checked against.
type Document struct {
	paths    map[string]any
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

const documentURL = "https://server.test/openapi.json"

// NewDocument reads a document. It takes schemas strictly: a property that an object does
// not describe is an error, although clients must expect new properties.
func NewDocument(data []byte) (*Document, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	document, _ := parsed.(map[string]any)
	paths, ok := document["paths"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the OpenAPI document has no paths")
	}
	closeObjects(parsed)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource(documentURL, parsed); err != nil {
		return nil, err
	}
	return &Document{paths: paths, compiler: c, compiled: map[string]*jsonschema.Schema{}}, nil
}

// closeObjects adds additionalProperties: false to the schemas of objects.
func closeObjects(value any) {
	switch v := value.(type) {
	case map[string]any:
		_, properties := v["properties"].(map[string]any)
		_, decided := v["additionalProperties"]
		if _, typed := v["type"]; typed && properties && !decided {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			closeObjects(inner)
		}
	case []any:
		for _, inner := range v {
			closeObjects(inner)
		}
	}
}

// Operations returns the operations of the document, such as "GET /agents",
// sorted.
func (d *Document) Operations() []string {
	var operations []string
	for path, item := range d.paths {
		for method := range item.(map[string]any) {
			operations = append(operations, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(operations)
	return operations
}

// Check compares a response with the document. It returns the operation; "" for a path
// that the document does not have, whose response must be a problem.
func (d *Document) Check(method, path string, status int, contentType string, body []byte) (operation string, err error) {
	template := d.template(path)
	method = strings.ToLower(method)
	item, _ := d.paths[template].(map[string]any)
	described, ok := item[method].(map[string]any)
	if !ok {
		if status < 400 {
			return "", fmt.Errorf("the document has no %s %s", method, path)
		}
		return "", d.validate("/components/responses/Problem", contentType, body)
	}
	operation = strings.ToUpper(method) + " " + template
	responses, _ := described["responses"].(map[string]any)
	key := strconv.Itoa(status)
	if _, ok := responses[key]; !ok {
		if status < 400 {
			return operation, fmt.Errorf("%s: the status %d is not described", operation, status)
		}
		key = "default"
	}
	pointer := "/paths/" + strings.ReplaceAll(template, "/", "~1") + "/" + method + "/responses/" + key
	response, _ := responses[key].(map[string]any)
	if reference, ok := response["$ref"].(string); ok {
		pointer = strings.TrimPrefix(reference, "#")
	} else if _, ok := response["content"]; !ok {
		if len(body) > 0 {
			return operation, fmt.Errorf("%s: the status %d has no body in the document", operation, status)
		}
		return operation, nil
	}
	if err := d.validate(pointer, contentType, body); err != nil {
		return operation, fmt.Errorf("%s %d: %w", operation, status, err)
	}
	return operation, nil
}

// validate checks a body against the schema of a response object.
func (d *Document) validate(pointer, contentType string, body []byte) error {
	mediaType, _, _ := strings.Cut(contentType, ";")
	within := strings.ReplaceAll(mediaType, "/", "~1") + "/schema"
	schema, err := d.compile(pointer + "/content/" + within)
	if err != nil { // what is asked for with Accept
		schema, err = d.compile(pointer + "/x-content/" + within)
	}
	if err != nil {
		return fmt.Errorf("no schema of %q: %w", contentType, err)
	}
	if !strings.HasSuffix(mediaType, "json") {
		return schema.Validate(string(body))
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func (d *Document) compile(pointer string) (*jsonschema.Schema, error) {
	if schema, ok := d.compiled[pointer]; ok {
		return schema, nil
	}
	steps := strings.Split(pointer, "/")
	for i, step := range steps {
		steps[i] = url.PathEscape(step)
	}
	schema, err := d.compiler.Compile(documentURL + "#" + strings.Join(steps, "/"))
	if err == nil {
		d.compiled[pointer] = schema
	}
	return schema, err
}

// template returns the path pattern that a path matches, "" for none. Of two patterns,
// the one with fewer parameters wins: /certifications/history is not an id.
func (d *Document) template(path string) string {
	best, fewest := "", -1
	for _, pattern := range slices.Sorted(maps.Keys(d.paths)) {
		if n := parameters(pattern, path); n >= 0 && (fewest < 0 || n < fewest) {
			best, fewest = pattern, n
		}
	}
	return best
}

// parameters returns how many parameters of a pattern a path fills; -1 if it does not
// match.
func parameters(pattern, path string) int {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return -1
	}
	n := 0
	for i, part := range want {
		switch {
		case strings.HasPrefix(part, "{") && got[i] != "":
			n++
		case part != got[i]:
			return -1
		}
	}
	return n
}
