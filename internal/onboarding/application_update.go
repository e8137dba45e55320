package onboarding

import (
	"context"
	"reflect"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/problem"
)

// Update changes what a request names in a form; sent is the request as it came, which
// tells an omitted field from null. It reports whether anything changed.
func (s *Service) Update(ctx context.Context, uid string, in Form, sent map[string]any) (a *Application, changed bool, err error) {
	return s.rewrite(ctx, uid, func(before *Form) (*Form, error) {
		next := *before
		var m merging
		m.section(reflect.ValueOf(&next).Elem(), reflect.ValueOf(in), sent, false)
		if err := m.Err(); err != nil {
			return nil, err
		}
		return &next, next.check()
	})
}

// merging puts what a request names in the place of what is stored: "Property omitted:
// value unchanged" (Partial updates). A section is merged, since what is omitted of it
// stays, too; a list is replaced.
type merging struct{ check.Problems }

// section merges the fields of a form, or of a section of it. A new section needs its
// required fields.
func (m *merging) section(to, from reflect.Value, sent map[string]any, isNew bool, path ...string) {
	for i := range to.NumField() {
		field := to.Type().Field(i)
		at := under(path, nameOf(field))
		value, isSent := sent[nameOf(field)]
		switch section, isSection := value.(map[string]any); {
		case isSection:
			m.below(to.Field(i), from.Field(i), section, at...)
		case isSent && value == nil && isRequired(field.Type):
			m.Refuse(problem.NullNotAllowed, "must not be null", at...)
		case isSent:
			to.Field(i).Set(from.Field(i))
		case isNew && isRequired(field.Type):
			m.Refuse(problem.Required, "is required", at...)
		}
	}
}

// below merges a section into a copy, since the stored form is compared later on.
func (m *merging) below(to, from reflect.Value, sent map[string]any, path ...string) {
	next := reflect.New(to.Type().Elem())
	if !to.IsNil() {
		next.Elem().Set(to.Elem())
	}
	m.section(next.Elem(), from.Elem(), sent, to.IsNil(), path...)
	to.Set(next)
}

// isRequired reports whether a field of a form, of a type, cannot be empty. A flag can: it
// is false then.
func isRequired(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && t.Kind() != reflect.Slice && t.Kind() != reflect.Bool
}
