package agency

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// Lengths, in characters. The specification limits only applications; these
// keep a mistake from filling the database.
const (
	maxName      = 100
	maxText      = 255
	maxNote      = 4000
	maxEmail     = 254 // RFC 5321, 4.5.3.1
	maxAgentCode = 20  // "recruiterAgentCode: max 20 characters" (Limits)
)

// check collects the problems of an input, so that all are reported together.
type check struct{ problems problem.List }

func (c *check) err() error { return c.problems.Err() }

func (c *check) refuse(code problem.Code, message string, field ...string) {
	c.problems.Add(problem.Invalid(code, message, field...))
}

// initiator returns the trimmed initiator ("nearly every write operation
// requires an initiator string recorded for auditing", Key concepts).
func (c *check) initiator(s string) string { return c.required(s, maxText, "initiator") }

// required returns a text without the blanks around it.
func (c *check) required(s string, limit int, field ...string) string {
	s = text.Trim(s)
	if s == "" {
		c.refuse(problem.Required, "is required", field...)
	}
	c.text(s, limit, field...)
	return s
}

// optional returns a text without the blanks around it, nil when nothing is
// left.
func (c *check) optional(s *string, limit int, field ...string) *string {
	if s == nil {
		return nil
	}
	trimmed := text.Trim(*s)
	if trimmed == "" {
		return nil
	}
	c.text(trimmed, limit, field...)
	return &trimmed
}

// narrow returns an identifier with plain digits and letters, whatever the width in
// which they were typed.
func narrow(s *string) *string {
	if s == nil {
		return nil
	}
	return new(text.Narrow(*s))
}

func (c *check) text(s string, limit int, field ...string) {
	switch {
	case utf8.RuneCountInString(s) > limit:
		c.problems.Add(problem.Invalid(problem.TooLong, fmt.Sprintf("must not be longer than %d characters", limit), field...).With("max", limit))
	case !utf8.ValidString(s) || strings.ContainsFunc(s, text.IsControl):
		c.refuse(problem.InvalidFormat, "must not contain control characters", field...)
	}
}

// keep checks a property of a partial update that cannot be cleared ("Setting
// a required field to null is a validation error", Partial updates 1).
func keep[T any](c *check, f patch.Field[T], field ...string) {
	if f.IsNull() {
		c.refuse(problem.NullNotAllowed, "must not be null", field...)
	}
}

// keptText is keep for a text that is required.
func (c *check) keptText(f *patch.Field[string], limit int, field ...string) {
	keep(c, *f, field...)
	if f.Value != nil {
		*f = patch.Set(c.required(*f.Value, limit, field...))
	}
}

// text of a partial update that may be cleared; blank clears it too.
func (c *check) patchText(f *patch.Field[string], limit int, field ...string) {
	if f.Sent {
		f.Value = c.optional(f.Value, limit, field...)
	}
}

var agentCodePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// agentCode checks the letters of a code that becomes part of URLs.
func (c *check) agentCode(s string, field ...string) {
	if !agentCodePattern.MatchString(s) {
		c.refuse(problem.InvalidFormat, "must consist of letters, digits, dots, dashes and underscores, and start with a letter or digit", field...)
	}
}

var emailPattern = regexp.MustCompile(`^[^\s@]+@[^\s@]+$`)

func (c *check) email(s *string, field ...string) {
	if s != nil && !emailPattern.MatchString(*s) {
		c.refuse(problem.InvalidFormat, "must be an e-mail address", field...)
	}
}

// period checks the days of a period.
func (c *check) period(from date.Date, through *date.Date) {
	if through != nil && *through < from {
		c.refuse(problem.PeriodEndsBeforeStart, "must not be before effectiveFrom", "effectiveThrough")
	}
}

// firstOf returns the first error that is not nil. All of its arguments are
// evaluated: what must not happen after an error is no argument.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// tooManyCodes refuses a filter ("GET /agents agentCodes filter: up to 100
// codes", Limits).
func tooManyCodes() *problem.Error {
	return problem.Invalid(problem.OutOfRange, "must not hold more than 100 codes", "filter", "agentCodes").With("max", 100)
}
