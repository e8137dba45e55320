// Package clock is the only place that reads the time. Everything else is
// given an instant, or a Clock.
package clock

import (
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/date"
)

// Clock tells the time.
type Clock interface {
	// Now returns the instant in UTC, cut to microseconds, which both
	// databases keep.
	Now() time.Time
}

// System is the machine's clock.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Today returns the day it is in a time zone.
func Today(c Clock, zone *time.Location) date.Date { return date.In(c.Now(), zone) }

// Fixed is a clock for tests and for the demo: it stands still until moved.
type Fixed struct {
	mu  sync.Mutex
	now time.Time
}

// At returns a clock that stands at t.
func At(t time.Time) *Fixed { return &Fixed{now: t.UTC().Truncate(time.Microsecond)} }

// Now implements Clock.
func (f *Fixed) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Move adds d to the clock's time.
func (f *Fixed) Move(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}
