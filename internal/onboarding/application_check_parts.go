package onboarding

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
	"github.com/uplinehq/upline/internal/vault"
)

// The parts that the sections of a form have in common.

var (
	emailPattern        = regexp.MustCompile(`^[^\s@]+@[^\s@]+$`)
	jurisdictionPattern = regexp.MustCompile(`^[A-Z]{2}-[A-Z0-9]{2}$`)
	// "birthDate: YYYY-MM-DD, year between 1900 and 2100" (Application).
	firstBirth = date.Of(firstBirthYear, time.January, 1)
	lastBirth  = date.Of(latestBirthYear, time.December, 31)
)

func (c *formCheck) required(s *string, limit int, field ...string) {
	*s = text.Trim(*s)
	if *s == "" {
		c.refuse(problem.Required, "is required", field...)
	}
	c.size(*s, limit, field...)
}

func (c *formCheck) text(s **string, limit int, field ...string) {
	if *s == nil {
		return
	}
	trimmed := text.Trim(**s)
	if *s = &trimmed; trimmed == "" {
		*s = nil
	}
	c.size(trimmed, limit, field...)
}

func (c *formCheck) size(s string, limit int, field ...string) {
	switch {
	case utf8.RuneCountInString(s) > limit:
		c.Add(problem.Invalid(problem.TooLong, fmt.Sprintf("must not be longer than %d characters", limit), field...).With("max", limit))
	case !utf8.ValidString(s) || strings.ContainsFunc(s, text.IsControl):
		c.refuse(problem.InvalidFormat, "must not contain control characters", field...)
	}
}

func (c *formCheck) email(s *string, field ...string) {
	if s != nil && *s != "" && !emailPattern.MatchString(*s) {
		c.refuse(problem.InvalidFormat, "must be an e-mail address", field...)
	}
}

// identifier checks an SSN, SIN or EIN, written in any way. A mask is for
// unmask to judge.
func (c *formCheck) identifier(s **string, field ...string) {
	c.text(s, maxIdentifier, field...)
	if *s == nil || isMask(**s) {
		return
	}
	narrow := text.Narrow(**s)
	if *s = &narrow; utf8.RuneCountInString(vault.NormaliseIdentifier(narrow)) < minIdentifier {
		c.refuse(problem.InvalidFormat, fmt.Sprintf("must have at least %d letters or digits", minIdentifier), field...)
	}
}

func (c *formCheck) birthDate(d *date.Date, field ...string) {
	if d != nil && (*d < firstBirth || *d > lastBirth) {
		c.refuse(problem.OutOfRange, fmt.Sprintf("must be in a year from %d to %d", firstBirthYear, latestBirthYear), field...)
	}
}

// one refuses a text that is no value of an enumeration.
func one[T ~string](c *formCheck, of enum.Set[T], s *string, field ...string) {
	if s != nil {
		_, err := of.Parse(*s, field...)
		c.Add(problem.From(err)...)
	}
}

func (c *formCheck) jurisdiction(s **string, field ...string) {
	c.text(s, maxText, field...)
	if *s != nil {
		c.pattern(**s, field...)
	}
}

// pattern: "jurisdiction must match the pattern XX-XX" (Application).
func (c *formCheck) pattern(jurisdiction string, field ...string) {
	if jurisdiction != "" && !jurisdictionPattern.MatchString(jurisdiction) {
		c.refuse(problem.InvalidFormat, "must be in the form XX-XX, such as US-TX", field...)
	}
}

func (c *formCheck) inOrder(from, through *date.Date, first string, field ...string) {
	if from != nil && through != nil && *through < *from {
		c.refuse(problem.PeriodEndsBeforeStart, "must not be before "+first, field...)
	}
}

// atMost refuses a list that is too long. An empty one is none.
func atMost[T any](c *formCheck, list []T, limit int, field ...string) []T {
	if len(list) > limit {
		c.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must not hold more than %d", limit), field...).With("max", limit))
		return nil
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// under is a path some steps deeper, without sharing memory with its siblings.
func under(path []string, steps ...string) []string {
	return append(slices.Clip(path), steps...)
}
