package date_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
)

func TestParse(t *testing.T) {
	for _, s := range []string{"", "2024-1-01", "2024-02-30", "2024-13-01", "2023-02-29", "20240101", "2024-01-01T00:00:00Z", "0000-01-01", " 2024-01-1", "12024-01-1"} {
		if _, err := date.Parse(s); err == nil {
			t.Errorf("Parse(%q) accepted", s)
		}
	}
	d, err := date.Parse("2024-02-29")
	if err != nil || d != date.Of(2024, time.February, 29) {
		t.Fatalf("Parse: %v %v", d, err)
	}
	if got := d.AddDays(1).String(); got != "2024-03-01" {
		t.Errorf("day after 2024-02-29 = %s", got)
	}
}

func TestTextAndStorageRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := date.Date(rapid.IntRange(-719162, 2932896).Draw(t, "days")) // 0001-01-01 .. 9999-12-31
		back, err := date.Parse(d.String())
		if err != nil || back != d {
			t.Fatalf("%s read back as %s (%v)", d, back, err)
		}
		var scanned date.Date
		if err := scanned.Scan(d.Time()); err != nil || scanned != d {
			t.Fatalf("time scan of %s: %s (%v)", d, scanned, err)
		}
		if next := d.AddDays(1); d < date.Max && (next.String() <= d.String() || next <= d) {
			t.Fatalf("order of %s and %s", d, next)
		}
	})
}

func TestInZone(t *testing.T) {
	zone := time.FixedZone("west", -8*3600)
	instant := time.Date(2026, 1, 1, 3, 0, 0, 0, time.UTC)
	if got := date.In(instant, zone).String(); got != "2025-12-31" {
		t.Errorf("03:00Z in UTC-8 is %s, want 2025-12-31", got)
	}
}

// A day begins at its first instant, where midnight is missing or comes twice, too.
func TestBegin(t *testing.T) {
	for _, test := range []struct{ zone, day, want string }{
		{"UTC", "2026-01-31", "2026-01-31T00:00:00Z"},
		{"America/New_York", "2026-03-08", "2026-03-08T00:00:00-05:00"},
		{"America/Santiago", "2024-09-07", "2024-09-07T00:00:00-04:00"},
		{"America/Santiago", "2024-09-08", "2024-09-08T01:00:00-03:00"}, // midnight is missing
		{"Asia/Beirut", "2022-03-27", "2022-03-27T01:00:00+03:00"},
		{"America/Havana", "2024-11-03", "2024-11-03T00:00:00-04:00"}, // midnight comes twice
		{"America/Santiago", "2024-04-06", "2024-04-06T00:00:00-03:00"},
		{"America/Santiago", "2024-04-07", "2024-04-07T00:00:00-04:00"}, // 23:00 of the day before comes twice
		{"Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00"},     // there was no such day
	} {
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		d, err := date.Parse(test.day)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Begin(zone).Format(time.RFC3339); got != test.want {
			t.Errorf("%s begins in %s at %s, want %s", test.day, test.zone, got, test.want)
		}
	}
}

// The first instant of a day is on the day, and the one before it is not.
func TestBeginOfAnyDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom([]string{"America/Santiago", "America/Havana", "Asia/Beirut", "America/New_York", "Asia/Tehran", "Africa/Cairo", "America/Asuncion"}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		d := date.Date(rapid.IntRange(0, 25_000).Draw(t, "days"))
		begin := d.Begin(zone)
		if on, before := date.In(begin, zone), date.In(begin.Add(-time.Nanosecond), zone); on != d || before != d-1 {
			t.Fatalf("%s begins in %s at %s, of %s; before it is %s", d, zone, begin, on, before)
		}
	})
}
