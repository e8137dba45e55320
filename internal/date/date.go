// Package date has the calendar date: a day without a time zone, written YYYY-MM-DD as in
// the specification.
package date

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// Date is a calendar day, counted in days since 1970-01-01. Dates compare with
// < and ==. The zero value is 1970-01-01; "no date" is a nil *Date.
type Date int32

const layout = time.DateOnly

// Min and Max are the first and the last possible day. Max also stands for "open-ended"
// where an end is needed for a comparison.
var (
	Min = Of(1, time.January, 1)
	Max = Of(9999, time.December, 31)
)

// ErrFormat is returned for a text that is not an existing day written YYYY-MM-DD.
var ErrFormat = errors.New("must be a date in the form YYYY-MM-DD")

// Of returns the date of a year, month and day.
func Of(year int, month time.Month, day int) Date {
	return fromUTC(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// In returns the day that the instant t falls on in a time zone.
func In(t time.Time, zone *time.Location) Date {
	y, m, d := t.In(zone).Date()
	return Of(y, m, d)
}

// Begin returns the first instant of the day in a time zone. If clocks are put forward
// over midnight, the day begins when they are; if they are put back over midnight, it
// begins with the first of the two midnights. A day that a zone has left out begins with
// the next one.
func (d Date) Begin(zone *time.Location) time.Time {
	y, m, day := d.Time().Date()
	t := time.Date(y, m, day, 0, 0, 0, 0, zone)
	since, until := t.ZoneBounds()
	if In(t, zone) < d {
		return until
	}
	if since.IsZero() {
		return t
	}
	_, before := since.Add(-time.Nanosecond).Zone()
	if earlier := d.Time().Add(-time.Duration(before) * time.Second); earlier.Before(since) && In(earlier, zone) == d {
		return earlier.In(zone)
	}
	return t
}

// Parse reads YYYY-MM-DD. It returns ErrFormat for anything else, and for
// years outside 0001 to 9999.
func Parse(s string) (Date, error) {
	if len(s) != len(layout) {
		return 0, ErrFormat
	}
	t, err := time.Parse(layout, s)
	if err != nil || t.Year() < 1 {
		return 0, ErrFormat
	}
	return fromUTC(t), nil
}

func fromUTC(t time.Time) Date { return Date(floorDiv(t.Unix(), 86400)) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// Time returns midnight UTC of the day.
func (d Date) Time() time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// String returns YYYY-MM-DD.
func (d Date) String() string { return d.Time().Format(layout) }

// AddDays returns the date n days later (earlier if n is negative), but never before Min
// or after Max: no database and no answer has years of five digits, or 0000.
func (d Date) AddDays(n int) Date { return Date(min(max(int64(d)+int64(n), int64(Min)), int64(Max))) }

// Ptr returns a pointer to a copy of d, for optional dates.
func (d Date) Ptr() *Date { return &d }

// Before reports whether d comes before an optional end; nil is open-ended,
// after every day.
func (d Date) Before(end *Date) bool { return end == nil || d < *end }

// OrMax returns the date, or Max for an open end.
func OrMax(d *Date) Date {
	if d == nil {
		return Max
	}
	return *d
}

// Value returns the date as text YYYY-MM-DD, which PostgreSQL reads as a date and SQLite
// stores and compares as text.
func (d Date) Value() (driver.Value, error) { return d.String(), nil }

// Scan reads the text that Value returns, or the midnight that PostgreSQL returns.
func (d *Date) Scan(src any) (err error) {
	switch v := src.(type) {
	case time.Time:
		*d = fromUTC(v.UTC())
	case string:
		*d, err = Parse(v)
	case []byte:
		*d, err = Parse(string(v))
	default:
		err = fmt.Errorf("date: cannot read %T", src)
	}
	return err
}

// MarshalText writes YYYY-MM-DD.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads YYYY-MM-DD; it returns ErrFormat for anything else.
func (d *Date) UnmarshalText(b []byte) (err error) {
	*d, err = Parse(string(b))
	return err
}
