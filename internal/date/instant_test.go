package date_test

import (
	"errors"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/date"
)

// Every instant that is taken can be written by both databases and read by every door.
func TestParseInstant(t *testing.T) {
	for text, want := range map[string]error{
		"2026-01-31T12:00:00Z": nil, "2026-01-31T12:00:00.123456789+05:30": nil, "0001-01-01T00:00:00Z": nil, "9999-12-31T23:59:59.999999Z": nil,
		"9999-12-31T23:59:59-12:00": date.ErrYears, "0001-01-01T00:00:00+14:00": date.ErrYears, "0000-06-01T00:00:00Z": date.ErrYears,
		"": date.ErrInstant, "2026-01-31": date.ErrInstant, "10000-01-01T00:00:00Z": date.ErrInstant, "2026-02-30T00:00:00Z": date.ErrInstant,
	} {
		at, err := date.ParseInstant(text)
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%q: %v; want %v", text, err, want)
		}
		if err == nil && (at.Location() != time.UTC || at.Nanosecond()%1000 != 0 || len(at.Format(time.DateOnly)) != 10) {
			t.Errorf("%q: %s", text, at)
		}
	}
}

// A day before the first or after the last would have no text that is read again.
func TestDaysStayInBounds(t *testing.T) {
	for _, d := range []date.Date{date.Min.AddDays(-1), date.Max.AddDays(1), date.Max.AddDays(1 << 31), date.Min.AddDays(-1 << 31)} {
		if got, err := date.Parse(d.String()); err != nil || got != d {
			t.Errorf("%s: %v", d, err)
		}
	}
}
