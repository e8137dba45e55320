package history_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

// The oracle writes a history down day by day: each day holds the row it
// belongs to. Applying a period is then plain overwriting, and the periods are
// the runs of days of one row. The last day of the window stands for the open
// end: only an open-ended period covers it.
const window = 24

// newRow marks the days of the applied period; noRow the days of none.
const (
	noRow  = -1
	newRow = -2
)

type numbered = history.Period[int]

// scenario is one history and what is applied to it. The days of a window are
// counted from its base.
type scenario struct {
	base     date.Date
	existing []numbered
	applied  numbered
	today    date.Date
}

// drawScenario builds a scenario from a source of numbers in [0, n).
func drawScenario(draw func(n int) int) scenario {
	bases := []date.Date{date.Of(2026, time.January, 1), date.Of(1, time.January, 1), date.Max - window + 1}
	s := scenario{base: bases[draw(len(bases))]}
	s.today = s.base + date.Date(draw(window))
	for at := draw(6); at < window; at += max(0, draw(6)-2) {
		p := s.period(draw, at)
		p.ID = int64(len(s.existing) + 1)
		s.existing = append(s.existing, p)
		if p.Through == nil {
			break
		}
		at = int(*p.Through-s.base) + 1
	}
	s.applied = s.period(draw, draw(window))
	if n := len(s.existing); n > 0 && draw(8) == 0 {
		s.applied = s.existing[draw(n)]
	}
	for i := range s.existing {
		j := i + draw(len(s.existing)-i)
		s.existing[i], s.existing[j] = s.existing[j], s.existing[i]
	}
	return s
}

// period draws a period that starts on a day of the window; one that would
// reach its last day is open-ended.
func (s scenario) period(draw func(n int) int, from int) numbered {
	p := numbered{From: s.base + date.Date(from), Value: draw(3)}
	if through := from + draw(8); draw(8) > 0 && through < window-1 {
		p.Through = (s.base + date.Date(through)).Ptr()
	}
	return p
}

func (s scenario) String() string {
	return fmt.Sprintf("base %s, today %s\nexisting %s\napplied  %s",
		s.base, s.today, s.text(s.existing), s.text([]numbered{s.applied}))
}

func (s scenario) text(periods []numbered) string {
	out := ""
	for _, p := range periods {
		from, through := s.span(p)
		out += fmt.Sprintf("[row %d: value %d, days %d..%d] ", p.ID, p.Value, from, through)
	}
	return out
}

// span returns the first and last day of a period in the window.
func (s scenario) span(p numbered) (from, through int) {
	if p.Through == nil {
		return int(p.From - s.base), window - 1
	}
	return int(p.From - s.base), int(*p.Through - s.base)
}

func (s scenario) sameAsApplied(p numbered) bool {
	from, through := s.span(p)
	appliedFrom, appliedThrough := s.span(s.applied)
	return p.Value == s.applied.Value && from == appliedFrom && through == appliedThrough
}

// rows returns, for each day, the index in existing of the row that covers it.
func (s scenario) rows() (days [window]int) {
	for d := range days {
		days[d] = noRow
	}
	for i, p := range s.existing {
		from, through := s.span(p)
		for d := from; d <= through; d++ {
			days[d] = i
		}
	}
	return days
}

// run is a stretch of days that belong to one row.
type run struct{ row, from, through int }

func runs(days [window]int) (found []run) {
	for d, row := range days {
		switch {
		case row == noRow:
		case d > 0 && days[d-1] == row:
			found[len(found)-1].through = d
		default:
			found = append(found, run{row, d, d})
		}
	}
	return found
}

// check compares a plan with the oracle and with the invariants.
func check(t rapid.TB, s scenario) {
	t.Helper()
	plan, err := history.Apply(s.existing, s.applied, s.today)
	if err != nil {
		t.Fatalf("%v\n%v", s, err)
	}
	before := s.rows()
	if slices.ContainsFunc(s.existing, s.sameAsApplied) {
		if plan.Changed() || s.text(plan.After) != s.text(plan.Before) || plan.Warnings != nil ||
			superseded(plan) != nil || inserted(plan) != nil || kinds(plan) != "UNCHANGED" {
			t.Fatalf("%v\nan identical period changed something: %+v", s, plan)
		}
		return
	}
	after := before
	from, through := s.span(s.applied)
	for d := from; d <= through; d++ {
		after[d] = newRow
	}
	s.checkAfter(t, plan, runs(after), runs(before))
	s.checkOperations(t, plan, runs(after))
	s.checkWarnings(t, plan, after)
	s.checkTwice(t, plan)
}

// checkAfter compares Before and After with the runs of days: every run is one
// period, so nothing overlaps, no coverage is lost and equal neighbours are not
// merged. Only an untouched row keeps its id.
func (s scenario) checkAfter(t rapid.TB, plan history.Plan[int], after, before []run) {
	t.Helper()
	expect := func(r run) numbered {
		p := s.applied
		if r.row != newRow {
			p = s.existing[r.row]
		}
		if r.row == newRow || !slices.Contains(before, r) {
			p.ID = 0
		}
		p.From, p.Through = s.base+date.Date(r.from), nil
		if r.through < window-1 {
			p.Through = (s.base + date.Date(r.through)).Ptr()
		}
		return p
	}
	var wantBefore, wantAfter, wantInserted []numbered
	for _, r := range before {
		wantBefore = append(wantBefore, expect(r))
	}
	for _, r := range after {
		p := expect(r)
		wantAfter = append(wantAfter, p)
		if p.ID == 0 {
			wantInserted = append(wantInserted, p)
		}
	}
	for _, c := range []struct {
		name      string
		got, want []numbered
	}{{"before", plan.Before, wantBefore}, {"after", plan.After, wantAfter}, {"inserted", inserted(plan), wantInserted}} {
		if s.text(c.got) != s.text(c.want) {
			t.Fatalf("%v\n%s: got  %s\n%s: want %s", s, c.name, s.text(c.got), c.name, s.text(c.want))
		}
	}
	for d := range window {
		day := s.base + date.Date(d)
		got, ok := history.At(plan.After, day)
		i := slices.IndexFunc(after, func(r run) bool { return r.from <= d && d <= r.through })
		if ok != (i >= 0) || ok && got != plan.After[i] {
			t.Fatalf("%v\nday %d: got %+v %v", s, d, got, ok)
		}
	}
}

// checkOperations derives the kind of each step from what is left of a row.
func (s scenario) checkOperations(t rapid.TB, plan history.Plan[int], after []run) {
	t.Helper()
	want := map[int64]history.Kind{}
	for i, p := range s.existing {
		var left []run
		for _, r := range after {
			if r.row == i {
				left = append(left, r)
			}
		}
		from, through := s.span(p)
		switch {
		case len(left) == 0:
			want[p.ID] = history.Removed
		case len(left) == 2:
			want[p.ID] = history.Split
		case left[0].through < through:
			want[p.ID] = history.Shortened
		case left[0].from > from:
			want[p.ID] = history.Moved
		}
	}
	var last date.Date
	var ids []int64
	added := 0
	for i, o := range plan.Operations {
		concerned := s.applied.From
		if o.Kind == history.Added {
			added++
		} else {
			concerned = o.Existing.From
			ids = append(ids, o.Existing.ID)
			if want[o.Existing.ID] != o.Kind {
				t.Fatalf("%v\nrow %d: got %s, want %s", s, o.Existing.ID, o.Kind, want[o.Existing.ID])
			}
		}
		if i > 0 && concerned < last {
			t.Fatalf("%v\noperations out of order: %s", s, kinds(plan))
		}
		last = concerned
	}
	if added != 1 || len(ids) != len(want) || !slices.Equal(ids, superseded(plan)) || !plan.Changed() {
		t.Fatalf("%v\noperations %s, superseded %v, want %v", s, kinds(plan), superseded(plan), want)
	}
}

// checkWarnings derives the warnings from the days.
func (s scenario) checkWarnings(t rapid.TB, plan history.Plan[int], after [window]int) {
	t.Helper()
	start, _ := s.span(s.applied)
	var future, sameValue bool
	for i, p := range s.existing {
		from, through := s.span(p)
		gone := !slices.Contains(after[:], i)
		future = future || gone && s.applied.Through == nil && from > start && p.From >= s.today
		cut := after[from] == i && slices.Contains(after[from:through+1], newRow)
		sameValue = sameValue || cut && p.Value == s.applied.Value
	}
	gap := start > 0 && after[start-1] == noRow &&
		slices.ContainsFunc(after[:start], func(row int) bool { return row != noRow })
	var want []history.Warning
	for _, w := range []struct {
		code  history.WarningCode
		given bool
	}{
		{history.FuturePeriodsRemoved, future},
		{history.SplitSameValue, sameValue},
		{history.BackdatedBeforeToday, s.applied.From < s.today},
		{history.GapBeforePeriod, gap},
	} {
		if w.given {
			want = append(want, history.Warning{Code: w.code})
		}
	}
	if codes(plan.Warnings) != codes(want) {
		t.Fatalf("%v\nwarnings: got %s, want %s", s, codes(plan.Warnings), codes(want))
	}
}

// checkTwice: applying twice is applying once.
func (s scenario) checkTwice(t rapid.TB, plan history.Plan[int]) {
	t.Helper()
	again, err := history.Apply(plan.After, s.applied, s.today)
	if err != nil || again.Changed() || s.text(again.After) != s.text(plan.After) {
		t.Fatalf("%v\napplied again: %+v %v", s, again, err)
	}
}

// TestOracle compares many histories with the day-by-day oracle, the same ones
// in every run.
func TestOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		check(t, drawScenario(r.IntN))
	}
}

// TestOracleShrinking is the same property with other histories in every run;
// it reports the smallest history that fails.
func TestOracleShrinking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		check(t, drawScenario(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }))
	})
}

// FuzzApply lets the fuzzer choose the history.
func FuzzApply(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})
	f.Add([]byte{2, 23, 0, 0, 7, 0, 22, 1, 0, 0, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		check(t, drawScenario(func(n int) int {
			if len(data) == 0 {
				return 0
			}
			b := data[0]
			data = data[1:]
			return int(b) % n
		}))
	})
}
