package onboarding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// Lengths of what an agency publishes, in characters, and how many there may be
// of what is listed without pages. The specification limits none of it; these
// keep a mistake from filling the database.
const (
	maxContentTitle = 200
	maxContentText  = 2000
	maxContractBody = 200_000
	maxChoice       = 200
	maxChoices      = 50
	maxQuestions    = 100
	maxCovenants    = 100
	maxProducts     = 50
	maxProductID    = 64
	maxSequence     = 10_000
)

// contentCheck collects what is wrong with something to publish.
type contentCheck struct{ problem.List }

func (c *contentCheck) refuse(code problem.Code, message string, field ...string) {
	c.Add(problem.Invalid(code, message, field...))
}

// required returns a text without the blanks around it.
func (c *contentCheck) required(s string, most int, field ...string) string {
	if s = text.Trim(s); s == "" {
		c.refuse(problem.Required, "is required", field...)
	}
	c.length(s, most, field...)
	return s
}

// optional returns a text without the blanks around it, nil when nothing is
// left.
func (c *contentCheck) optional(s *string, most int, field ...string) *string {
	if s == nil || text.Trim(*s) == "" {
		return nil
	}
	trimmed := text.Trim(*s)
	c.length(trimmed, most, field...)
	return &trimmed
}

func (c *contentCheck) length(s string, most int, field ...string) {
	switch {
	case utf8.RuneCountInString(s) > most:
		c.Add(problem.Invalid(problem.TooLong, fmt.Sprintf("must not be longer than %d characters", most), field...).With("max", most))
	case strings.ContainsFunc(s, text.IsControl):
		c.refuse(problem.InvalidFormat, "must not contain control characters", field...)
	}
}

func (c *contentCheck) sequence(n int, field ...string) {
	if n < 1 || n > maxSequence {
		c.refuse(problem.OutOfRange, fmt.Sprintf("must be from 1 to %d", maxSequence), field...)
	}
}

// atMost reports whether a list is short enough to be looked at.
func (c *contentCheck) atMost(n, most int, field ...string) bool {
	if n > most {
		c.refuse(problem.OutOfRange, fmt.Sprintf("must not be more than %d", most), field...)
	}
	return n <= most
}

// unique refuses each key that a list has had already. Blank ones are refused
// as such.
func (c *contentCheck) unique(keys []string, field func(i int) []string) {
	for i, key := range keys {
		if key != "" && slices.ContainsFunc(keys[:i], func(other string) bool { return strings.EqualFold(other, key) }) {
			c.refuse(problem.InvalidFormat, "is given more than once", field(i)...)
		}
	}
}

// element is the path of a property of an element of a list.
func element(list string, i int, property ...string) []string {
	return append([]string{list, strconv.Itoa(i)}, property...)
}
