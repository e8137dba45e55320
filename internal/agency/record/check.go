package record

import (
	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/problem"
)

// The lengths of texts, in characters. The specification limits only those of
// applications; these keep a mistake from filling the database.
const (
	MaxName = 100
	MaxText = 255
	maxNote = 4000

	maxReferenceCode = 50
)

// MaxLevel is the highest agent level.
const MaxLevel = 1_000_000

// Check collects what is wrong with an input of the area.
type Check struct{ check.Problems }

// FirstOf returns the first error that is not nil. It evaluates all arguments, so none
// may be a call that must not happen after an error.
func FirstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// AsProblems returns the problems that the caller can correct, or else the fault of the
// server.
func AsProblems(err error) (problem.List, error) {
	if list := problem.From(err); list != nil {
		return list, nil
	}
	return nil, err
}

// Same reports whether two optional values are equal.
func Same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// Renamed returns an error with its problems moved to another field.
func Renamed(err error, field []string) error {
	list := problem.From(err)
	if list == nil {
		return err
	}
	for i, p := range list {
		c := *p
		c.Field = field
		list[i] = &c
	}
	return list
}
