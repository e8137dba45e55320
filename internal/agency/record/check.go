package record

import (
	"github.com/uplinehq/upline/internal/words/check"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
)

// Lengths, in characters. The specification limits only applications; these
// keep a mistake from filling the database.
const (
	MaxName = 100
	MaxText = 255
	maxNote = 4000

	maxReferenceCode = 50
)

// maxLevel is the highest agent level.
const maxLevel = 1_000_000

// Check collects what is wrong with an input of the area.
type Check struct{ check.Problems }

// Period checks the days of a period.
func (c *Check) Period(from date.Date, through *date.Date) {
	c.InOrder(&from, through, "effectiveFrom", "effectiveThrough")
}

// FirstOf returns the first error that is not nil. All of its arguments are
// evaluated: what must not happen after an error is no argument.
func FirstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// AsProblems splits what a caller can act on from a fault of the server.
func AsProblems(err error) (problem.List, error) {
	if list := problem.From(err); list != nil {
		return list, nil
	}
	return nil, err
}

// Same compares two optional values.
func Same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// Renamed gives the problems of an error another field.
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
