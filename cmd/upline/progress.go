package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress shows how far something has come: a line that changes on a terminal, elsewhere
// a line for each tenth.
type progress struct {
	w     io.Writer
	onTTY bool
	unit  string
	// late is how long it shows nothing.
	late time.Duration

	begun   time.Time
	name    string // of what is under way
	tenths  int    // that were printed
	started time.Time
	shown   time.Time
}

// newProgress returns what shows progress, in units, where errors go.
func newProgress(unit string) *progress {
	info, err := os.Stderr.Stat()
	return &progress{w: os.Stderr, onTTY: err == nil && info.Mode()&os.ModeCharDevice != 0, unit: unit}
}

// newLateProgress is newProgress for what is mostly done at once, and then shows nothing.
func newLateProgress(unit string) *progress {
	p := newProgress(unit)
	p.late, p.begun = guessAfter, system.Now()
	return p
}

const (
	// clearLine goes back to the begin of a line, and takes away what stands there.
	clearLine = "\r\x1b[K"
	// showEvery is how long a line stays at least.
	showEvery = 100 * time.Millisecond
	// guessAfter is how long something runs until its end can be guessed.
	guessAfter = 2 * time.Second
)

// show tells how much is done, of how much, unless that is 0: nobody knows.
func (p *progress) show(name string, done, total int) {
	now := system.Now()
	if name != p.name {
		p.name, p.tenths, p.started, p.shown = name, 0, now, time.Time{}
	}
	if now.Sub(p.begun) < p.late {
		return
	}
	of := ""
	if total > 0 {
		of = fmt.Sprintf(" of %d", total)
	}
	rate := float64(done) / max(now.Sub(p.started).Seconds(), 1)
	left := ""
	if done > 0 && done < total && now.Sub(p.started) >= guessAfter {
		left = ", " + (time.Duration(float64(total-done)/rate+1) * time.Second).String() + " left"
	}
	if p.onTTY {
		if now.Sub(p.shown) >= showEvery {
			p.shown = now
			fmt.Fprintf(p.w, "%s%s: %d%s %s, %.0f/s%s", clearLine, name, done, of, p.unit, rate, left)
		}
		return
	}
	if tenths := 10 * done / max(total, 1); total > 0 && tenths > p.tenths {
		p.tenths = tenths
		fmt.Fprintf(p.w, "%s: %d%s %s%s\n", name, done, of, p.unit, left)
	}
}

// end takes away the line that changed.
func (p *progress) end() {
	if !p.shown.IsZero() {
		fmt.Fprint(p.w, clearLine)
	}
}
