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
