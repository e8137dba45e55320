package date

import (
	"errors"
	"time"
)

// ErrInstant is returned for text that is not an instant of RFC 3339.
var ErrInstant = errors.New("must be an instant in the form of RFC 3339, such as 2026-01-31T12:00:00Z")

// ErrYears is returned for an instant that cannot be stored: SQLite compares instants as
// text, so years need four digits, as they do in JSON.
var ErrYears = errors.New("must be in the years 0001 to 9999 of UTC")

// ParseInstant reads RFC 3339 with any offset, as Instant returns it. The errors are
// ErrInstant and ErrYears.
func ParseInstant(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, ErrInstant
	}
	return Instant(t)
}

// Instant returns t in UTC, cut to microseconds, as databases keep it. It returns
// ErrYears if t is in UTC outside the years 0001 to 9999.
func Instant(t time.Time) (time.Time, error) {
	t = t.UTC().Truncate(time.Microsecond)
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, ErrYears
	}
	return t, nil
}
