package onboarding

import (
	"fmt"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/words/check"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/enum"
	"github.com/uplinehq/upline/internal/words/problem"
)

// The parts that the sections of a form have in common.

var (
	// "birthDate: YYYY-MM-DD, year between 1900 and 2100" (Application).
	firstBirth = date.Of(firstBirthYear, time.January, 1)
	lastBirth  = date.Of(latestBirthYear, time.December, 31)
)

func (c *formCheck) required(s *string, limit int, field ...string) {
	*s = c.Required(*s, limit, field...)
}

func (c *formCheck) text(s **string, limit int, field ...string) {
	*s = c.Optional(*s, limit, field...)
}

func (c *formCheck) requiredEmail(s *string, field ...string) {
	given := c.Email(s, maxEmail, field...)
	if *s = ""; given == nil {
		c.Refuse(problem.Required, "is required", field...)
	} else {
		*s = *given
	}
}

// identifier checks an SSN, SIN or EIN. A mask is for unmask to judge.
func (c *formCheck) identifier(s **string, field ...string) {
	c.text(s, check.MaxIdentifier, field...)
	if *s != nil && !check.IsMask(**s) {
		*s = c.Identifier(*s, field...)
	}
}

func (c *formCheck) birthDate(d *date.Date, field ...string) {
	if d != nil && (*d < firstBirth || *d > lastBirth) {
		c.Refuse(problem.OutOfRange, fmt.Sprintf("must be in a year from %d to %d", firstBirthYear, latestBirthYear), field...)
	}
}

// one refuses a text that is no value of an enumeration.
func one[T ~string](c *formCheck, of enum.Set[T], s *string, field ...string) {
	if s != nil {
		check.One(c, of, *s, field...)
	}
}

func (c *formCheck) jurisdiction(s **string, field ...string) {
	c.text(s, maxText, field...)
	if *s != nil {
		c.Jurisdiction(**s, field...)
	}
}

// atMost refuses a list that is too long. An empty one is none.
func atMost[T any](c *formCheck, list []T, limit int, things string, field ...string) []T {
	if !c.AtMost(len(list), limit, things, field...) || len(list) == 0 {
		return nil
	}
	return list
}

// under is a path some steps deeper, without sharing memory with its siblings.
func under(path []string, steps ...string) []string {
	return append(slices.Clip(path), steps...)
}
