package rest

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

// needsSensitive reports whether a field of an input cannot be given without a sensitive
// value: it holds one, or an object that must have one.
func needsSensitive(schema *ast.Schema, field *ast.FieldDefinition) bool {
	return isSensitive(field) || slices.ContainsFunc(schema.Types[field.Type.Name()].Fields, func(f *ast.FieldDefinition) bool {
		return f.Type.NonNull && isSensitive(f)
	})
}
