// Package check finds what is wrong with the texts, lists and periods of an input, by
// rules that are the same in every area. An area adds its own rules: which fields there
// are, how long they may be, what they refer to.
//
// A message never repeats the value that it refuses.
package check

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// Problems collects what is wrong with an input, so that all of it is reported
// together. The zero value holds none.
type Problems struct{ problem.List }

// Refuse adds a problem of a field.
func (p *Problems) Refuse(code problem.Code, message string, field ...string) {
	p.Add(problem.Invalid(code, message, field...))
}

// TooLong refuses a text of more than limit characters.
func (p *Problems) TooLong(limit int, field ...string) {
	p.Add(problem.Invalid(problem.TooLong, fmt.Sprintf("must not be longer than %d characters", limit), field...).With("max", limit))
}

// NotNull refuses a null for a property that cannot be cleared ("Setting a
// required field to null is a validation error", Partial updates 1).
func (p *Problems) NotNull(f interface{ IsNull() bool }, field ...string) {
	if f.IsNull() {
		p.Refuse(problem.NullNotAllowed, "must not be null", field...)
	}
}

// AtMost reports whether a list of n things is short enough to be checked further, and
// refuses it otherwise.
func (p *Problems) AtMost(n, limit int, things string, field ...string) bool {
	if n > limit {
		p.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must not hold more than %d %s", limit, things), field...).With("max", limit))
	}
	return n <= limit
}

// Range refuses a number below least or above most.
func (p *Problems) Range(n, least, most int, field ...string) {
	if n < least || n > most {
		p.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be from %d to %d", least, most), field...).With("min", least).With("max", most))
	}
}

// InOrder refuses a last day before the first day; first is the name of the first day's
// field.
func (p *Problems) InOrder(from, through *date.Date, first string, field ...string) {
	if from != nil && through != nil && *through < *from {
		p.Refuse(problem.PeriodEndsBeforeStart, "must not be before "+first, field...)
	}
}

// One parses a value of an enumeration; it is empty if the text was refused.
func One[T ~string](p interface{ Add(...*problem.Error) }, of enum.Set[T], s string, field ...string) T {
	value, err := of.Parse(s, field...)
	p.Add(problem.From(err)...)
	return value
}

// Text refuses a text of more than limit characters, and one with control
// characters. It may have several lines.
func (p *Problems) Text(s string, limit int, field ...string) {
	p.holds(s, limit, text.IsControl, "must not contain control characters", field...)
}

// Line is Text for a text of one line.
func (p *Problems) Line(s string, limit int, field ...string) {
	p.holds(s, limit, unicode.IsControl, "must not contain control characters", field...)
}

// holds refuses a text of more than limit characters, and one with a character for which
// bad is true or which no text may have.
func (p *Problems) holds(s string, limit int, bad func(rune) bool, message string, field ...string) {
	switch {
	case utf8.RuneCountInString(s) > limit:
		p.TooLong(limit, field...)
	case !text.Fit(s) || strings.ContainsFunc(s, bad):
		p.Refuse(problem.InvalidFormat, message, field...)
	}
}

// Required returns a text that may have several lines, without the blanks around it. It
// refuses a blank one.
func (p *Problems) Required(s string, limit int, field ...string) string {
	s = p.filled(s, field...)
	p.Text(s, limit, field...)
	return s
}

func (p *Problems) filled(s string, field ...string) string {
	if s = text.Trim(s); s == "" {
		p.Refuse(problem.Required, "is required", field...)
	}
	return s
}

// Optional returns a text that may have several lines, without the blanks around it; nil
// for a blank one.
func (p *Problems) Optional(s *string, limit int, field ...string) *string {
	s = Trimmed(s)
	if s != nil {
		p.Text(*s, limit, field...)
	}
	return s
}

// Trimmed returns a text without the blanks around it; nil for a blank one.
func Trimmed(s *string) *string {
	if s == nil {
		return nil
	}
	trimmed := text.Trim(*s)
	if trimmed == "" {
		return nil
	}
	return &trimmed
}

// Kept is Required for a property of a partial update that cannot be cleared.
func (p *Problems) Kept(f *patch.Field[string], limit int, field ...string) {
	p.NotNull(*f, field...)
	if f.Value != nil {
		*f = patch.Set(p.Required(*f.Value, limit, field...))
	}
}

// Clearable is Optional for a property of a partial update: blank clears it, as
// null does.
func (p *Problems) Clearable(f *patch.Field[string], limit int, field ...string) {
	if f.Sent {
		f.Value = p.Optional(f.Value, limit, field...)
	}
}

// RequiredLine is Required for a text of one line.
func (p *Problems) RequiredLine(s string, limit int, field ...string) string {
	s = p.filled(s, field...)
	p.Line(s, limit, field...)
	return s
}

// Initiator returns the initiator without the blanks around it ("nearly every write
// operation requires an initiator string recorded for auditing", Key concepts).
func (p *Problems) Initiator(s string) string { return p.RequiredLine(s, MaxInitiator, "initiator") }

// MaxInitiator bounds an initiator, in characters.
const MaxInitiator = 255
