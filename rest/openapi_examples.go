package rest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// The examples of the OpenAPI document are what a server answered when the transcripts in
// testdata ran. The test that runs them writes the file, and fails if the committed one
// differs.
//
//go:embed examples.json
var examplesFile []byte

// recordedExamples are the examples that the test recorded.
type recordedExamples struct {
	// Operations are by operation id.
	Operations map[string]recordedOperation
	// Problems are by status.
	Problems map[string]any
}

// recordedOperation is what was recorded of one operation.
type recordedOperation struct {
	Parameters map[string]string
	Request    any
	// Responses are by status; a preview and a CSV are under previewExample and
	// csvExample.
	Responses map[string]any
}

func readExamples() (recordedExamples, error) {
	var all recordedExamples
	if err := json.Unmarshal(examplesFile, &all); err != nil {
		return all, fmt.Errorf("rest: examples.json: %w", err)
	}
	return all, nil
}

func (o recordedOperation) response(status int) any { return o.Responses[strconv.Itoa(status)] }
func (o recordedOperation) preview() any            { return o.Responses[previewExample] }
func (o recordedOperation) csv() any                { return o.Responses[csvExample] }

// The keys of Responses beside statuses.
const (
	previewExample = "preview"
	csvExample     = "csv"
)

// parameter returns the example of a parameter as a value of its type; nil if there is
// none.
func (o recordedOperation) parameter(name string, schema *openapi3.SchemaRef) any {
	text, ok := o.Parameters[name]
	if !ok {
		return nil
	}
	if kind := schema.Value.Type; kind.Includes("integer") || kind.Includes("boolean") {
		return json.RawMessage(text)
	}
	if schema.Value.Type.Includes("array") {
		return strings.Split(text, ",")
	}
	return text
}
