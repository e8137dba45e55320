package rest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// The examples of the OpenAPI document are what a server answered when the
// transcripts in testdata ran. The test that runs them writes the file, and
// demands that it is up to date.
//
//go:embed examples.json
var examplesFile []byte

// recordedExamples are examples as they were recorded.
type recordedExamples struct {
	// Operations are by the ids of operations.
	Operations map[string]recordedOperation
	// Problems are by status.
	Problems map[string]any
}

// recordedOperation is what was recorded of an operation.
type recordedOperation struct {
	Parameters map[string]string
	Request    any
	// Responses are by status, and under preview and csv.
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

// What is recorded of an operation beside the body of each status.
const (
	previewExample = "preview"
	csvExample     = "csv"
)

// parameter returns the example of a parameter, nil for none, as a value of its
// type.
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
