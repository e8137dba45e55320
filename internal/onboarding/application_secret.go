package onboarding

import (
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/words/check"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/text"
)

// formSecret is a sensitive value of a form; nil when the form has none.
type formSecret struct {
	path  []string
	value *string
	set   func(*string)
}

func (s formSecret) name() string { return strings.Join(s.path, ".") }

// secrets are a form's sensitive values; those of a section that it has not are
// missing.
func (f *Form) secrets() []formSecret {
	text := func(place **string, path ...string) formSecret {
		return formSecret{path, *place, func(v *string) { *place = v }}
	}
	all := []formSecret{text(&f.GovernmentIdentifier, "governmentIdentifier")}
	if w := f.W9; w != nil {
		all = append(all, text(&w.SSN, "w9", "ssn"), text(&w.EIN, "w9", "ein"),
			text(&w.AccountNumbers, "w9", "accountNumbers"), text(&w.Signature, "w9", "signature"))
	}
	if c := f.Contract; c != nil {
		all = append(all, formSecret{[]string{"contract", "signature"}, &c.Signature, func(v *string) { c.Signature = *v }})
	}
	return all
}

// secret returns the sensitive value of a name; nil when there is none.
func (f *Form) secret(name string) *string {
	for _, s := range f.secrets() {
		if s.name() == name {
			return s.value
		}
	}
	return nil
}

// unmasked returns a form with the stored values in the place of their masks,
// which a reader gets who may not see more: a form that was read, edited and sent
// back must not replace a tax id by its mask. A mask of anything else is refused.
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
	for _, s := range f.secrets() {
		if s.value == nil || !check.IsMask(*s.value) {
			continue
		}
		value := stored.secret(s.name())
		if value == nil || !strings.HasSuffix(text.Identifier(*value), text.Identifier(*s.value)) {
			refused.Add(problem.Invalid(problem.InvalidFormat, "is the mask of a value, and not of the one that is stored", s.path...))
			continue
		}
		s.set(value)
	}
	return &f, refused.Err()
}

// identifiers are the tax ids of a form, each as it is compared, once.
func (f *Form) identifiers() []string {
	given := []*string{f.GovernmentIdentifier}
	if f.W9 != nil {
		given = append(given, f.W9.SSN, f.W9.EIN)
	}
	var all []string
	for _, id := range given {
		if id == nil {
			continue
		}
		if n := text.Identifier(*id); !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}
