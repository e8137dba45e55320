package graph

import (
	"errors"
	"reflect"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// If a stored value cannot be shown, only its own field is missing: the field is null,
// and an error names it. REST and exports recognise such an error by its reason.

// ReasonUnreadable is the reason, in the extensions, of the error of such a field.
const ReasonUnreadable = "UNREADABLE_VALUE"

// isUnreadable reports whether an error is about a stored value, and not about the
// request or the server.
func isUnreadable(err error) bool {
	return errors.Is(err, plan.ErrUnknownValue) || vault.Unreadable(err)
}

// OnlyUnreadable reports whether nothing is missing from a response but stored values
// that cannot be shown.
func OnlyUnreadable(errs gqlerror.List) bool {
	for _, e := range errs {
		if e.Extensions["reason"] != ReasonUnreadable {
			return false
		}
	}
	return true
}

// enumerations are the allowed values of the fields of a schema whose type is an
// enumeration.
type enumerations map[*ast.FieldDefinition]map[string]bool

func enumerationsOf(s *ast.Schema) enumerations {
	all := enumerations{}
	for _, t := range s.Types {
		for _, f := range t.Fields {
			enum := s.Types[f.Type.Name()]
			if enum == nil || enum.Kind != ast.Enum || enum.BuiltIn {
				continue
			}
			all[f] = map[string]bool{}
			for _, v := range enum.EnumValues {
				all[f][v.Name] = true
			}
		}
	}
	return all
}

// check returns an error when the value of a field is not in its enumeration.
func (e enumerations) check(fc *graphql.FieldContext, res any) error {
	values, ok := e[fc.Field.Definition]
	if ok && !within(values, reflect.ValueOf(res)) {
		return plan.ErrUnknownValue
	}
	return nil
}

func within(values map[string]bool, v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || within(values, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if !within(values, v.Index(i)) {
				return false
			}
		}
	case reflect.Struct: // a patch.Field
		return within(values, v.FieldByName("Value"))
	case reflect.String:
		return values[v.String()]
	}
	return true
}
