package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// Progress is a line that is taken away again on a terminal, and elsewhere a line for each
// tenth of what there is to do.
func TestProgress(t *testing.T) {
	show := func(onTTY bool, total int) string {
		var out bytes.Buffer
		p := progress{w: &out, onTTY: onTTY, unit: "rows"}
		for _, name := range []string{"first", "second"} {
			for done := range 41 {
				p.show(name, done, total)
			}
		}
		p.end()
		return out.String()
	}
	lines := show(false, 40)
	if n := strings.Count(lines, "\n"); n != 20 || !strings.HasPrefix(lines, "first: 4 of 40 rows\n") || !strings.HasSuffix(lines, "\nsecond: 40 of 40 rows\n") {
		t.Errorf("%d lines are printed:\n%s", n, lines)
	}
	if got := show(false, 0); got != "" {
		t.Errorf("of an unknown number it prints %q", got)
	}
	for total, want := range map[int]string{40: "first: 0 of 40 rows, 0/s", 0: "second: 0 rows, 0/s"} {
		got := show(true, total)
		if strings.Contains(got, "\n") || !strings.Contains(got, clearLine+want) || !strings.HasSuffix(got, clearLine) {
			t.Errorf("on a terminal, of %d, it prints %q", total, got)
		}
	}
}

// What takes long says how long it will take, on a terminal and elsewhere; what has just
// begun does not guess.
func TestProgressSaysHowLong(t *testing.T) {
	for _, onTTY := range []bool{true, false} {
		var out bytes.Buffer
		p := progress{w: &out, onTTY: onTTY, unit: "rows"}
		p.show("rows", 10, 100)
		if strings.Contains(out.String(), "left") {
			t.Errorf("at the start it prints %q", out.String())
		}
		p.started, p.shown = system.Now().Add(-10*time.Second), time.Time{}
		p.show("rows", 40, 100)
		if !strings.HasSuffix(strings.TrimSpace(out.String()), ", 16s left") {
			t.Errorf("after 40 of 100 rows in 10 seconds it prints %q", out.String())
		}
	}
}

// What is mostly done at once shows its progress only once it takes long.
func TestLateProgress(t *testing.T) {
	var out bytes.Buffer
	p := newLateProgress("entries")
	p.w, p.onTTY = &out, false
	p.show("checking acme", 10, 100)
	p.begun, p.started = system.Now().Add(-10*time.Second), system.Now().Add(-10*time.Second)
	p.show("checking acme", 40, 100)
	if got := out.String(); got != "checking acme: 40 of 100 entries, 16s left\n" {
		t.Errorf("it prints %q", got)
	}
}
