package input

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// sensitiveDirective marks the sensitive fields of the schema.
const sensitiveDirective = "sensitive"

// isSensitive reports whether a field holds a sensitive value.
func isSensitive(field *ast.FieldDefinition) bool {
	return field.Directives.ForName(sensitiveDirective) != nil
}

// HoldsSensitive reports whether a field of an input holds a sensitive value, or an
// object that can have one. Sending such an object without the value, or null, could
// clear the value.
func HoldsSensitive(schema *ast.Schema, field *ast.FieldDefinition) bool {
	return isSensitive(field) || slices.ContainsFunc(schema.Types[field.Type.Name()].Fields, isSensitive)
}
