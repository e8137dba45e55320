package input

import (
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/paths"
)

// initiator is the field of an input that GraphQL fills in and REST demands ("initiator,
// required", specification, Auditing).
const initiator = "initiator"

// reason is the field of an input that every body may have, and may leave null.
const reason = "reason"

// BodyOf returns a schema in which an input is as the body of a path has it: with the
// initiator, and without the keys, which are in the path.
func BodyOf(schema *ast.Schema, def *ast.Definition, keys map[string]string) *ast.Schema {
	body := *def
	body.Fields = nil
	for _, field := range def.Fields {
		_, isKey := keys[NameOf(def, field)]
		if isKey && field.Name != paths.ReferenceKeys[def.Name] {
			continue
		}
		f := *field
		switch {
		case f.Name == initiator:
			f.Type, f.Description = ast.NonNullNamedType(f.Type.NamedType, nil), "Who asks for the change; recorded for auditing."
		case f.Name == reason:
		case paths.ReferenceKeys[def.Name] != "" && !paths.ReferenceTexts[f.Name] && (isKey || !f.Type.NonNull):
			f.Type, f.DefaultValue = ast.NonNullNamedType(f.Type.NamedType, nil), &ast.Value{Kind: ast.NullValue} // it can be left out
		}
		body.Fields = append(body.Fields, &f)
	}
	seen := *schema
	seen.Types = maps.Clone(schema.Types)
	seen.Types[def.Name] = &body
	return &seen
}

// Keyed adds to a body, which was checked, the keys that the path names. A key that the
// body repeats must be the same.
func (c *Checker) Keyed(def *ast.Definition, body any, keys map[string]any) any {
	object, ok := body.(map[string]any)
	if !ok {
		return body
	}
	for _, field := range slices.Sorted(maps.Keys(keys)) {
		if repeated := object[field]; repeated != nil && repeated != keys[field] {
			c.Refuse(problem.InvalidFormat, "cannot change", []string{NameOf(def, def.Fields.ForName(field))})
		}
		object[field] = keys[field]
	}
	return object
}
