package rest

import (
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// The bounds of what requests may hold. A server names each bound when a request exceeds
// it: a test sends such requests, writes the file, and fails if the committed one
// differs.
//
//go:embed bounds.json
var boundsFile []byte

// bound is the greatest length of a text, the greatest number of items of a list, the
// range of a number, and the form of a text.
type bound struct {
	MaxLength, MaxItems *uint64
	Minimum, Maximum    *float64
	Pattern             string
}

// recordedBounds returns the bounds by place: Type.property in a body,
// operation.parameter in a query; with [] added for the items of a list and .* for the
// values of a dictionary.
var recordedBounds = sync.OnceValue(func() map[string]bound {
	var all map[string]bound
	if err := json.Unmarshal(boundsFile, &all); err != nil {
		panic(err) // It is committed as a test wrote it.
	}
	return all
})

// bounded adds the bounds of a place to its schema.
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
