package app

import (
	"testing"
	"time"
)

// "None may take more than a second per second of budget it costs": with what was paid
// before, a second of statements costs what flows back in a second, and cheap ones that
// a busy machine slows down nothing more.
func TestStatementsArePaidFor(t *testing.T) {
	for _, test := range []struct {
		used time.Duration
		paid int
		want int
	}{
		{0, 100, 0},
		{50 * time.Millisecond, 1, 0},
		{51 * time.Millisecond, 1, 254},
		{time.Second, 200, 4800},
		{time.Second, 5000, 0},
		{3 * time.Second, 120, 14880}, // twenty counts, on their own
	} {
		if got := owed(test.used, test.paid); got != test.want {
			t.Errorf("%v of statements for %d points: %d more, want %d", test.used, test.paid, got, test.want)
		}
	}
}
