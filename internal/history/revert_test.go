package history_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

// The ledger of TestRevert stores histories as the database does. Its oracle knows nothing
// of periods: each write paints days, and a day remembers everything that was painted over.
// The last day of the window stands for the open end.
const ledgerDays = 12

type ledger struct {
	base    date.Date
	lastID  int64
	known   [][]numbered // the history after each write; the first is empty
	painted [ledgerDays][]coat
}

// coat is what a write painted a day with. Its statement is the row of the applied period.
type coat struct {
	write     int
	statement int64
	value     int
}

func (l *ledger) now() []numbered { return l.known[len(l.known)-1] }

// store gives the new periods of a plan their rows.
func (l *ledger) store(t rapid.TB, plan history.Plan[int]) {
	t.Helper()
	rows := slices.Clone(plan.After)
	for i := range rows {
		if rows[i].ID == 0 {
			l.lastID++
			rows[i].ID = l.lastID
			if rows[i].Stated == 0 {
				rows[i].Stated = l.lastID
			}
			continue
		}
		if !slices.ContainsFunc(plan.Before, func(p numbered) bool { return reflect.DeepEqual(p, rows[i]) }) {
			t.Fatalf("row %+v is not as it stood", rows[i])
		}
	}
	l.known = append(l.known, rows)
}

// draw draws the days of a write and its value.
func (l *ledger) draw(draw func(n int) int) numbered {
	from := draw(ledgerDays)
	p := numbered{From: l.base + date.Date(from), Value: draw(3)}
	if through := from + draw(5); through < ledgerDays-1 {
		p.Through = (l.base + date.Date(through)).Ptr()
	}
	return p
}

// apply applies a period, and paints its days.
func (l *ledger) apply(t rapid.TB, p numbered) {
	t.Helper()
	plan, err := history.Apply(l.now(), p, l.base)
	if err != nil {
		t.Fatal(err)
	}
	if !plan.Changed() {
		return
	}
	l.store(t, plan)
	stated, _ := history.At(l.now(), p.From)
	for d := range l.painted {
		if day := l.base + date.Date(d); p.Overlaps(day, &day) {
			l.painted[d] = append(l.painted[d], coat{len(l.known) - 1, stated.Stated, p.Value})
		}
	}
}

// become makes a target the history.
func (l *ledger) become(t rapid.TB, target []numbered) {
	t.Helper()
	plan, err := history.Become(l.now(), target)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Changed() {
		l.store(t, plan)
	}
	same(t, "what it became", l.now(), target)
}

func (l *ledger) edit(write int) history.Edit[int] {
	return history.Edit[int]{Before: l.known[write-1], After: l.known[write]}
}

// same compares histories, with the statements of their periods.
func same(t rapid.TB, what string, got, want []numbered) {
	t.Helper()
	show := func(all []numbered) (lines string) {
		for _, p := range all {
			lines += fmt.Sprintf("%s..%v is %d by %d; ", p.From, p.Through, p.Value, p.Stated)
		}
		return lines
	}
	if show(got) != show(want) {
		t.Fatalf("%s:\n got %s\nwant %s", what, show(got), show(want))
	}
}

func newLedger(draw func(n int) int) *ledger {
	bases := []date.Date{date.Of(2026, 1, 1), date.Max - ledgerDays + 1}
	return &ledger{base: bases[draw(len(bases))], known: [][]numbered{nil}}
}

// checkSubset takes any writes back: nothing is in the way but what was painted over a
// change with another value; and then each day has the last coat of the others.
func checkSubset(t rapid.TB, draw func(n int) int) {
	t.Helper()
	l := newLedger(draw)
	for range 1 + draw(7) {
		l.apply(t, l.draw(draw))
	}
	var (
		undone = map[int]bool{}
		writes []int
		edits  []history.Edit[int]
	)
	for w := len(l.known) - 1; w > 0; w-- {
		if undone[w] = draw(3) == 0; undone[w] {
			writes, edits = append(writes, w), append(edits, l.edit(w))
		}
	}
	got, inTheWay := history.Revert(l.now(), edits...)
	var blocked [ledgerDays]map[int]bool
	for d := range blocked {
		blocked[d] = map[int]bool{}
	}
	for _, c := range inTheWay {
		for d := range blocked {
			if day := l.base + date.Date(d); c.From <= day && day <= date.OrMax(c.Through) {
				blocked[d][writes[c.Edit]] = true
			}
		}
	}
	var left [ledgerDays]coat
	clean := true
	for d, coats := range l.painted {
		over := coat{value: -1} // the last coat of the others
		var want = map[int]bool{}
		for i := len(coats) - 1; i >= 0; i-- {
			below := coat{value: -1}
			if i > 0 {
				below = coats[i-1]
			}
			switch c := coats[i]; {
			case !undone[c.write]:
				if over.write == 0 {
					over = c
				}
			case over.write != 0 && c.value != below.value && over.value != below.value:
				want[c.write], clean = true, false
			}
		}
		left[d] = over
		if !reflect.DeepEqual(blocked[d], want) {
			t.Fatalf("day %d of %v, without %v: in the way are %v, not %v", d, coats, writes, want, blocked[d])
		}
	}
	if clean && len(edits) > 0 {
		same(t, "without these writes", got, l.periodsOf(left))
		l.become(t, got)
	}
}

// periodsOf are the runs of days with one statement.
func (l *ledger) periodsOf(days [ledgerDays]coat) (all []numbered) {
	for d, c := range days {
		if c.write == 0 {
			continue
		}
		if d == 0 || days[d-1] != c {
			all = append(all, numbered{From: l.base + date.Date(d), Value: c.value, Stated: c.statement})
		}
		if all[len(all)-1].Through = nil; d < ledgerDays-1 {
			all[len(all)-1].Through = (l.base + date.Date(d)).Ptr()
		}
	}
	return all
}

// checkAtOnce takes back whatever was written last, a removal and what took others back,
// too; and that again.
func checkAtOnce(t rapid.TB, draw func(n int) int) {
	t.Helper()
	l := newLedger(draw)
	for range 1 + draw(8) {
		switch kind := draw(5); {
		case kind == 0: // days are left without a period
			hole, left := l.draw(draw), []numbered(nil)
			for _, p := range l.now() {
				if p.From < hole.From {
					left = append(left, p.Remainder(p.From, new(min(date.OrMax(p.Through), hole.From-1))))
				}
				if hole.Through != nil && *hole.Through < date.OrMax(p.Through) {
					left = append(left, p.Remainder(max(p.From, *hole.Through+1), p.Through))
				}
			}
			l.become(t, left)
		case kind == 1 && len(l.known) > 1:
			if target, inTheWay := history.Revert(l.now(), l.edit(1+draw(len(l.known)-1))); inTheWay == nil {
				l.become(t, target)
			}
		default:
			l.apply(t, l.draw(draw))
		}
	}
	if len(l.known) == 1 {
		return
	}
	for range 3 { // that it is taken back is taken back, and so on
		last := len(l.known) - 1
		target, inTheWay := history.Revert(l.now(), l.edit(last))
		if inTheWay != nil {
			t.Fatalf("at once, these days are in the way: %+v", inTheWay)
		}
		l.become(t, target)
		same(t, "at once", l.now(), l.known[last-1])
	}
}

func TestRevert(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 30_000 {
		checkSubset(t, r.IntN)
		checkAtOnce(t, r.IntN)
	}
}

// TestRevertShrinking is the same with other histories in every run.
func TestRevertShrinking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
		checkSubset(t, draw)
		checkAtOnce(t, draw)
	})
}
