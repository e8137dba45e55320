package onboarding

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/platform/change"
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
