package rest

import (
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// The bounds of what requests hold are those that a server names when it is sent too
// much. The test that asks writes the file, and demands that it is up to date.
//
//go:embed bounds.json
var boundsFile []byte

// bound is how long a text may be, how many items a list may hold, how large a number
// may be, and what form a text has.
type bound struct {
	MaxLength, MaxItems *uint64
	Minimum, Maximum    *float64
	Pattern             string
}

// recordedBounds are by place: Type.property of a body, operation.parameter of a query,
// with [] for the items of a list and .* for the values of a dictionary.
var recordedBounds = sync.OnceValue(func() map[string]bound {
	var all map[string]bound
	if err := json.Unmarshal(boundsFile, &all); err != nil {
		panic(err) // It is committed as a test wrote it.
	}
	return all
})

// bounded sets the bounds of a place on its schema.
func bounded(place string, schema *openapi3.SchemaRef) *openapi3.SchemaRef {
	if schema == nil || schema.Ref != "" {
		return schema
	}
	v := schema.Value
	if b, ok := recordedBounds()[place]; ok {
		v.MaxLength, v.MaxItems, v.Min, v.Max, v.Pattern = b.MaxLength, b.MaxItems, b.Minimum, b.Maximum, b.Pattern
	}
	bounded(place+"[]", v.Items)
	bounded(place+".*", v.AdditionalProperties.Schema)
	return schema
}
