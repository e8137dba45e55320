package onboarding

import (
	"context"
	"reflect"
	"slices"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// Replace replaces all that the recruit filled in: "a full replacement; an
// omitted section such as w9 or employment is cleared" (Partial updates, 3). It
// reports whether anything changed.
func (s *applying) Replace(ctx context.Context, uid string, in Form) (a *Application, changed bool, err error) {
	if err := in.check(); err != nil {
		return nil, false, err
	}
	return s.rewrite(ctx, uid, func(*Form) (*Form, error) { return &in, nil })
}

// rewrite writes what becomes of a form in its place.
func (s *applying) rewrite(ctx context.Context, uid string, become func(before *Form) (*Form, error)) (a *Application, changed bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *change.Writing) error {
		if a, err = lockApplication(ctx, w, uid); err != nil {
			return err
		}
		if a.Status != Active && a.Status != Hold {
			return problem.Clash(problem.InvalidTransition, "Only an application that is active or on hold can be changed")
		}
		before, err := s.Form(ctx, a)
		if err != nil {
			return err
		}
		in, err := become(before)
		if err != nil {
			return err
		}
		next, err := in.unmasked(before)
		if err != nil {
			return err
		}
		fields := before.differences(next)
		if changed = len(fields) > 0; !changed {
			return nil
		}
		if err := s.replace(ctx, w, a, before, next); err != nil {
			return err
		}
		if err := noteDifferences(ctx, w, uid, before, next, fields); err != nil {
			return err
		}
		raise(ctx, w, events.ApplicationUpdated, a, fields)
		a, err = findApplication(ctx, w, uid, "")
		return err
	})
	return a, changed, err
}

func (s *applying) replace(ctx context.Context, w *change.Writing, a *Application, before, next *Form) error {
	if !before.sameIdentity(next) {
		if err := lockPeople(ctx, w); err != nil {
			return err
		}
		if err := s.refuseDuplicates(ctx, w, a.ID, next); err != nil {
			return err
		}
	}
	return s.storeForm(ctx, w, a.ID, next)
}

// sameIdentity reports whether two forms identify the same person, so that both have the
// same duplicates.
func (f *Form) sameIdentity(other *Form) bool {
	return text.SearchKey(f.EmailAddress) == text.SearchKey(other.EmailAddress) &&
		(f.GovernmentIdentifier == nil) == (other.GovernmentIdentifier == nil) &&
		slices.Equal(f.identifiers(), other.identifiers())
}

// Update changes what a request names in a form; sent is the request as it came, which
// tells an omitted field from null. It reports whether anything changed.
func (s *applying) Update(ctx context.Context, uid string, in Form, sent map[string]any) (a *Application, changed bool, err error) {
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
