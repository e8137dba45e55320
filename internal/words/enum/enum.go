// Package enum holds what all enumerations have in common: a list of values,
// said once by the area that owns the type, how a text becomes one of them, and
// how REST spells it.
package enum

import (
	"slices"
	"strings"
	"unicode"

	"github.com/uplinehq/upline/internal/words/problem"
)

// Set are the values of an enumeration, in their order.
type Set[T ~string] struct{ values []T }

// Of returns the set of the values.
func Of[T ~string](values ...T) Set[T] { return Set[T]{values} }

// Texts returns the values as texts.
func (s Set[T]) Texts() []string {
	texts := make([]string, len(s.values))
	for i, v := range s.values {
		texts[i] = string(v)
	}
	return texts
}

// Has reports whether a value is one of the set.
func (s Set[T]) Has(value T) bool { return slices.Contains(s.values, value) }

// Parse returns the value that a text is, or a problem of the field, which never
// repeats the text. Whoever stores a value has it from here.
func (s Set[T]) Parse(text string, field ...string) (T, error) {
	if value := T(text); s.Has(value) {
		return value, nil
	}
	return "", problem.Invalid(problem.InvalidFormat, "must be one of "+strings.Join(s.Texts(), ", "), field...)
}

// Written returns the value that a text in a file means, whose letters alone
// count: AdministrativeSuspension and "administrative suspension" are
// ADMINISTRATIVE_SUSPENSION. Another text stays as it is, for Parse to refuse.
func (s Set[T]) Written(text string) string {
	for _, value := range s.values {
		if letters(string(value)) == letters(text) {
			return string(value)
		}
	}
	return text
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, s)
}

// Spelled is a value as REST spells it: ADMINISTRATIVE_SUSPENSION is
// AdministrativeSuspension.
func Spelled(value string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(value, "_") {
		if word != "" {
			b.WriteString(word[:1] + strings.ToLower(word[1:]))
		}
	}
	return b.String()
}
