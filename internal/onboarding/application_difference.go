package onboarding

import (
	"context"
	"reflect"
	"strings"

	"github.com/uplinehq/upline/internal/platform/change"
)

// applicationEntity is the type of applications, as the schema names it.
const applicationEntity = "Application"

// differences are the fields in which another form differs from this one, as
// clients write them; of a section, its name.
func (f *Form) differences(next *Form) (fields []string) {
	before, after := reflect.ValueOf(f).Elem(), reflect.ValueOf(next).Elem()
	for i := range before.NumField() {
		if !reflect.DeepEqual(before.Field(i).Interface(), after.Field(i).Interface()) {
			fields = append(fields, fieldName(before.Type().Field(i).Name))
		}
	}
	return fields
}

// fieldName writes the name of a field of Form as clients do.
func fieldName(name string) string {
	if f, ok := reflect.TypeFor[Form]().FieldByName(name); ok {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag != "-" {
			return tag
		}
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// noteDifferences notes for the audit entry what changes of an application: of
// its sensitive values a fingerprint, of the others the names of their fields.
func noteDifferences(ctx context.Context, w *change.Writing, uid string, before, after *Form, fields []string) error {
	var open []string
	for _, name := range fields {
		if name != "governmentIdentifier" {
			open = append(open, name)
		}
	}
	w.Changed(applicationEntity, uid, open...)
	names := map[string]bool{}
	for _, f := range []*Form{before, after} {
		for _, s := range f.secrets() {
			if name := s.name(); !names[name] {
				names[name] = true
				if value := after.secret(name); !reflect.DeepEqual(before.secret(name), value) {
					if err := w.ChangedSecret(ctx, name, value); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}
