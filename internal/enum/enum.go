// Package enum has what all enumerations have in common: a list of values, which the area
// that owns the type says once, the parsing of a value, and its spelling in REST.
package enum

import (
	"slices"
	"strings"
	"unicode"

	"github.com/uplinehq/upline/internal/problem"
)

// Set is the list of an enumeration's values, in their order.
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

// Parse returns the value that a text names, or a problem of the field, which never
// repeats the text. Code that stores a value takes it from here.
func (s Set[T]) Parse(text string, field ...string) (T, error) {
	if value := T(text); s.Has(value) {
		return value, nil
	}
	return "", problem.Invalid(problem.InvalidFormat, "must be one of "+strings.Join(s.Texts(), ", "), field...)
}

// Written returns the value that a text in a file means, by its letters alone:
// AdministrativeSuspension and "administrative suspension" are ADMINISTRATIVE_SUSPENSION.
// It returns any other text as it is, for Parse to refuse.
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

// Spelled returns a value in the spelling of REST: ADMINISTRATIVE_SUSPENSION becomes
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
