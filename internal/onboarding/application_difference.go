package onboarding

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// applicationEntity is the type of applications in the schema.
const applicationEntity = "Application"

// differences returns the names of the fields in which another form differs; of a
// section, its name.
func (f *Form) differences(next *Form) (fields []string) {
	before, after := reflect.ValueOf(f).Elem(), reflect.ValueOf(next).Elem()
	for i := range before.NumField() {
		if !reflect.DeepEqual(before.Field(i).Interface(), after.Field(i).Interface()) {
			fields = append(fields, nameOf(before.Type().Field(i)))
		}
	}
	return fields
}

// nameOf is the name of a form's field that clients use.
func nameOf(field reflect.StructField) string {
	if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag != "-" {
		return tag
	}
	return strings.ToLower(field.Name[:1]) + field.Name[1:]
}

// under is a path some steps deeper, without sharing memory with its siblings.
func under(path []string, steps ...string) []string {
	return append(slices.Clip(path), steps...)
}

// noteDifferences notes for the audit entry what changes in an application: for sensitive
// values a fingerprint, for others the names of their fields.
func noteDifferences(ctx context.Context, w *change.Writing, uid string, before, after *Form, fields []string) error {
	w.Changed(applicationEntity, uid, slices.DeleteFunc(slices.Clone(fields), isSecret)...)
	for _, secret := range Secrets {
		if value := secret.of(after); !reflect.DeepEqual(secret.of(before), value) {
			if err := w.ChangedSecret(ctx, secret.Name(), value); err != nil {
				return err
			}
		}
	}
	return nil
}

// Secret is a sensitive text of forms.
type Secret struct {
	// Field is its path, Shown how much of it is shown: "identifier", "number" or
	// "nothing".
	Field []string
	Shown string
	index []int
}

// Secrets are all sensitive texts of forms.
var Secrets = secretsOf(reflect.TypeFor[Form](), nil, nil)

// secretsOf returns the sensitive texts of a section, given its path and index in a form.
func secretsOf(section reflect.Type, path []string, at []int) (all []Secret) {
	for i := range section.NumField() {
		field := section.Field(i)
		name, index := under(path, nameOf(field)), append(slices.Clone(at), i)
		if shown := field.Tag.Get("sealed"); shown != "" {
			all = append(all, Secret{name, shown, index})
		}
		if t := field.Type; t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
			all = append(all, secretsOf(t.Elem(), name, index)...)
		}
	}
	return all
}

// isSecret reports whether a field of forms is a sensitive text.
func isSecret(name string) bool {
	return slices.ContainsFunc(Secrets, func(s Secret) bool { return s.Name() == name })
}

// Name is Field as audit entries write it.
func (s Secret) Name() string { return strings.Join(s.Field, ".") }

// place is the text's field in a form: a string or a pointer to one; it is not valid if
// the form lacks the section.
func (s Secret) place(f *Form) reflect.Value {
	v, _ := reflect.ValueOf(f).Elem().FieldByIndexErr(s.index) // the error means that the section is nil
	return v
}

// of returns the text of a form; nil if there is none.
func (s Secret) of(f *Form) *string {
	v := s.place(f)
	if !v.IsValid() {
		return nil
	}
	if text, optional := v.Interface().(*string); optional {
		return text
	}
	return v.Addr().Interface().(*string)
}

// set sets the text of a form that has the section.
func (s Secret) set(f *Form, text *string) {
	if v := s.place(f); v.Kind() == reflect.Pointer {
		v.Set(reflect.ValueOf(text))
	} else {
		v.SetString(*text)
	}
}

// unmasked returns a form with the stored values in place of their masks, which callers
// see who may not see more: a form that was read, edited and sent back must not replace a
// tax id by its mask. It refuses the mask of any other value.
func (f Form) unmasked(stored *Form) (*Form, error) {
	if f.W9 != nil {
		w9 := *f.W9
		f.W9 = &w9
	}
	if f.Contract != nil {
		contract := *f.Contract
		f.Contract = &contract
	}
	var refused problem.List
	for _, s := range Secrets {
		sent, value := s.of(&f), s.of(stored)
		if sent == nil || !check.IsMask(*sent) {
			continue
		}
		if value == nil || !strings.HasSuffix(text.Identifier(*value), text.Identifier(*sent)) {
			refused.Add(problem.Invalid(problem.InvalidFormat, "is the mask of a value, and not of the one that is stored", s.Field...))
			continue
		}
		s.set(&f, value)
	}
	return &f, refused.Err()
}

// identifiers are the tax ids of a form in the form in which they are compared, without
// duplicates.
func (f *Form) identifiers() []string {
	var all []string
	for _, s := range Secrets {
		id := s.of(f)
		if s.Shown != "identifier" || id == nil {
			continue
		}
		if n := text.Identifier(*id); !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}
