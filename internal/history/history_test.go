package history_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/problem"
)

// The table and the five rules of the specification, Effective-dated history
// rules, and what they mean at each edge of a period.
func TestApply(t *testing.T) {
	for _, c := range []struct {
		name, existing, applied string
		after, kinds            string
		superseded              []int64
		inserted                string
	}{
		{"case Split", "Active 1..open", "Suspended 5..8",
			"Active 1..4, Suspended 5..8, Active 9..open", "SPLIT ADDED", []int64{1},
			"Active 1..4, Suspended 5..8, Active 9..open"},
		{"case Shorten", "Active 1..open", "Expired 5..open",
			"Active 1..4, Expired 5..open", "SHORTENED ADDED", []int64{1},
			"Active 1..4, Expired 5..open"},
		{"case Overlap both neighbours", "Active 1..9, Expired 10..open", "Held 6..12",
			"Active 1..5, Held 6..12, Expired 13..open", "SHORTENED ADDED MOVED", []int64{1, 2},
			"Active 1..5, Held 6..12, Expired 13..open"},
		{"case Replace", "Pending 3..4, Active 6..open", "Active 2..open",
			"Active 2..open", "ADDED REMOVED REMOVED", []int64{1, 2},
			"Active 2..open"},

		{"rule 1: periods entirely inside are removed", "Active 1..2, Held 4..6, Expired 7..8, Active 20..open", "Suspended 3..9",
			"Active 1..2, Suspended 3..9, Active 20..open", "ADDED REMOVED REMOVED", []int64{2, 3},
			"Suspended 3..9"},
		{"rule 2: a containing period is split", "Active 1..20", "Held 5..8",
			"Active 1..4, Held 5..8, Active 9..20", "SPLIT ADDED", []int64{1},
			"Active 1..4, Held 5..8, Active 9..20"},
		{"rule 3: an overlap of the start is shortened", "Active 1..6", "Held 5..8",
			"Active 1..4, Held 5..8", "SHORTENED ADDED", []int64{1},
			"Active 1..4, Held 5..8"},
		{"rule 4: an overlap of the end is moved", "Active 6..12", "Held 5..8",
			"Held 5..8, Active 9..12", "ADDED MOVED", []int64{1},
			"Held 5..8, Active 9..12"},
		{"rule 5: the new period is added", "", "Held 5..8",
			"Held 5..8", "ADDED", nil,
			"Held 5..8"},
		{"rule 5: in a hole, touching nobody", "Active 1..3, Expired 10..open", "Held 5..8",
			"Active 1..3, Held 5..8, Expired 10..open", "ADDED", nil,
			"Held 5..8"},

		{"adjacent by one day on both sides", "Active 1..4, Expired 9..open", "Held 5..8",
			"Active 1..4, Held 5..8, Expired 9..open", "ADDED", nil,
			"Held 5..8"},
		{"adjacent periods with the same value are not merged", "Active 1..4, Active 9..open", "Active 5..8",
			"Active 1..4, Active 5..8, Active 9..open", "ADDED", nil,
			"Active 5..8"},
		{"a split by the same value leaves three periods", "Active 1..open", "Active 5..8",
			"Active 1..4, Active 5..8, Active 9..open", "SPLIT ADDED", []int64{1},
			"Active 1..4, Active 5..8, Active 9..open"},
		{"the last day of one is the first day of the other", "Active 1..5", "Held 5..8",
			"Active 1..4, Held 5..8", "SHORTENED ADDED", []int64{1},
			"Active 1..4, Held 5..8"},
		{"the first day of one is the last day of the other", "Active 8..9", "Held 5..8",
			"Held 5..8, Active 9..9", "ADDED MOVED", []int64{1},
			"Held 5..8, Active 9..9"},
		{"same start, existing is longer", "Active 5..open", "Held 5..8",
			"Held 5..8, Active 9..open", "MOVED ADDED", []int64{1},
			"Held 5..8, Active 9..open"},
		{"same start, existing is shorter", "Active 5..6", "Held 5..8",
			"Held 5..8", "REMOVED ADDED", []int64{1},
			"Held 5..8"},
		{"same end, existing is longer", "Active 1..8", "Held 5..8",
			"Active 1..4, Held 5..8", "SHORTENED ADDED", []int64{1},
			"Active 1..4, Held 5..8"},
		{"same end, existing is shorter", "Active 7..8", "Held 5..8",
			"Held 5..8", "ADDED REMOVED", []int64{1},
			"Held 5..8"},
		{"same days, another value", "Active 5..8", "Held 5..8",
			"Held 5..8", "REMOVED ADDED", []int64{1},
			"Held 5..8"},
		{"same start and value, open against closed", "Active 5..open", "Active 5..8",
			"Active 5..8, Active 9..open", "MOVED ADDED", []int64{1},
			"Active 5..8, Active 9..open"},
		{"same start and value, closed against open", "Active 5..8", "Active 5..open",
			"Active 5..open", "REMOVED ADDED", []int64{1},
			"Active 5..open"},
		{"one day on one day", "Active 5..5", "Held 5..5",
			"Held 5..5", "REMOVED ADDED", []int64{1},
			"Held 5..5"},
		{"one day inside three", "Active 4..6", "Held 5..5",
			"Active 4..4, Held 5..5, Active 6..6", "SPLIT ADDED", []int64{1},
			"Active 4..4, Held 5..5, Active 6..6"},
		{"one day at the start", "Active 5..6", "Held 5..5",
			"Held 5..5, Active 6..6", "MOVED ADDED", []int64{1},
			"Held 5..5, Active 6..6"},
		{"one day at the end", "Active 4..5", "Held 5..5",
			"Active 4..4, Held 5..5", "SHORTENED ADDED", []int64{1},
			"Active 4..4, Held 5..5"},
		{"any order of the existing periods", "Expired 10..open, Active 1..9", "Held 6..12",
			"Active 1..5, Held 6..12, Expired 13..open", "SHORTENED ADDED MOVED", []int64{2, 1},
			"Active 1..5, Held 6..12, Expired 13..open"},

		{"identical, closed", "Active 1..4, Held 5..8", "Held 5..8",
			"Active 1..4, Held 5..8", "UNCHANGED", nil, ""},
		{"identical, open", "Held 5..8, Active 9..open", "Active 9..open",
			"Held 5..8, Active 9..open", "UNCHANGED", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := apply(t, c.existing, c.applied)
			if got := text(plan.After); got != c.after {
				t.Errorf("after:\n got %s\nwant %s", got, c.after)
			}
			if got := kinds(plan); got != c.kinds {
				t.Errorf("operations: got %s, want %s", got, c.kinds)
			}
			if got := superseded(plan); !slices.Equal(got, c.superseded) {
				t.Errorf("superseded: got %v, want %v", got, c.superseded)
			}
			if got := text(inserted(plan)); got != c.inserted {
				t.Errorf("inserted: got %s, want %s", got, c.inserted)
			}
			if got, want := plan.Changed(), c.kinds != "UNCHANGED"; got != want {
				t.Errorf("changed: got %v, want %v", got, want)
			}
		})
	}
}

func TestOperationsTellWhatBecameOfARow(t *testing.T) {
	plan := apply(t, "Active 1..9, Expired 10..12, Held 20..open", "Pending 6..12")
	var got []string
	for _, o := range plan.Operations {
		existing := "none"
		if o.Existing != nil {
			existing = fmt.Sprintf("row %d", o.Existing.ID)
		}
		got = append(got, fmt.Sprintf("%s %s: %s", o.Kind, existing, text(o.Results)))
	}
	want := []string{"SHORTENED row 1: Active 1..5", "ADDED none: Pending 6..12", "REMOVED row 2: "}
	if !slices.Equal(got, want) {
		t.Errorf("operations:\n got %q\nwant %q", got, want)
	}

	held := apply(t, "Active 1..9", "Active 1..9").Operations[0]
	if held.Existing.ID != 1 || text(held.Results) != "Active 1..9" || held.Results[0].ID != 1 {
		t.Errorf("the unchanged operation does not show the stored row: %+v", held)
	}
}

// A row that is only partly covered is superseded as a whole: nothing that is
// left of it keeps its id.
func TestRemaindersAndTheNewPeriodAreNewRows(t *testing.T) {
	applied := parse(t, "Held 5..8")[0]
	applied.ID = 77
	plan, err := history.Apply(parse(t, "Active 1..2, Active 3..open"), applied, day(today))
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for _, p := range plan.After {
		ids = append(ids, p.ID)
	}
	if want := []int64{1, 0, 0, 0}; !slices.Equal(ids, want) {
		t.Errorf("ids after %s: got %v, want %v", text(plan.After), ids, want)
	}
}

// A period that was planned but never stored has no row to supersede.
func TestPeriodNotStoredIsNotSuperseded(t *testing.T) {
	first := apply(t, "", "Active 1..open")
	second, err := history.Apply(first.After, parse(t, "Held 5..8")[0], day(today))
	if err != nil {
		t.Fatal(err)
	}
	if ids := superseded(second); len(ids) != 0 {
		t.Errorf("superseded: %v", ids)
	}
	if got, want := text(inserted(second)), "Active 1..4, Held 5..8, Active 9..open"; got != want {
		t.Errorf("inserted: got %s, want %s", got, want)
	}
}

func TestApplyKeepsItsInput(t *testing.T) {
	existing := parse(t, "Expired 10..open, Active 1..9")
	before := text(existing)
	if _, err := history.Apply(existing, parse(t, "Held 6..12")[0], day(today)); err != nil {
		t.Fatal(err)
	}
	if got := text(existing); got != before {
		t.Errorf("Apply changed the periods it was given: %s, were %s", got, before)
	}
}

// A caller that fills in the ids of After does not change Before.
func TestBeforeAndAfterAreSeparate(t *testing.T) {
	for _, applied := range []string{"Active 1..4", "Held 5..8"} {
		plan := apply(t, "Active 1..4", applied)
		plan.After[0].ID = 99
		if plan.Before[0].ID != 1 {
			t.Errorf("applied %s: a change of After changed Before", applied)
		}
	}
}

func TestPeriodEndsBeforeStart(t *testing.T) {
	_, err := history.Apply(nil, parse(t, "Active 5..4")[0], day(today))
	found := problem.From(err)
	if len(found) != 1 || found[0].Code != problem.PeriodEndsBeforeStart || !slices.Equal(found[0].Field, []string{"effectiveThrough"}) {
		t.Errorf("got %v", err)
	}
}

// A broken history is a fault of the server, not something a caller can mend.
func TestBrokenHistoryIsNotAProblem(t *testing.T) {
	for name, existing := range map[string]string{
		"share a day":             "Active 1..5, Held 5..8",
		"share a day, shuffled":   "Held 5..8, Active 1..5",
		"after an open end":       "Active 1..open, Held 20..21",
		"same day twice":          "Active 5..5, Active 5..5",
		"ends before it starts":   "Active 5..4",
		"identical is no way out": "Held 5..8, Active 1..5",
	} {
		_, err := history.Apply(parse(t, existing), parse(t, "Held 5..8")[0], day(today))
		if err == nil || problem.From(err) != nil {
			t.Errorf("%s: got %v, want an error that is not a problem", name, err)
		}
	}
}

func TestAt(t *testing.T) {
	periods := parse(t, "Expired 10..open, Active 1..4, Held 5..5")
	for n, want := range map[int]string{0: "", 1: "Active", 4: "Active", 5: "Held", 6: "", 9: "", 10: "Expired", 4000: "Expired"} {
		p, ok := history.At(periods, day(n))
		if p.Value != want || ok != (want != "") {
			t.Errorf("day %d: got %q %v, want %q", n, p.Value, ok, want)
		}
	}
}

// At both ends of the calendar no remainder lies outside it.
func TestFirstAndLastDay(t *testing.T) {
	first, last := date.Of(1, time.January, 1), date.Max
	closed := func(value string, from, through date.Date) period {
		return period{From: from, Through: &through, Value: value}
	}
	open := func(value string, from date.Date) period { return period{From: from, Value: value} }

	for _, c := range []struct {
		name              string
		existing, applied period
		kinds             string
		after             []period
	}{
		{"the first day of an open period", open("A", first), closed("B", first, first), "MOVED ADDED",
			[]period{closed("B", first, first), open("A", first+1)}},
		{"all days", open("A", first), closed("B", first, last), "REMOVED ADDED", []period{closed("B", first, last)}},
		{"through the last day in an open period", open("A", first), closed("B", 0, last), "SHORTENED ADDED",
			[]period{closed("A", first, -1), closed("B", 0, last)}},
		{"open in a period through the last day", closed("A", first, last), open("B", 0), "SHORTENED ADDED",
			[]period{closed("A", first, -1), open("B", 0)}},
		{"the last day only", open("A", first), open("B", last), "SHORTENED ADDED",
			[]period{closed("A", first, last-1), open("B", last)}},
		{"through the day before the last", open("A", first), closed("B", 0, last-1), "SPLIT ADDED",
			[]period{closed("A", first, -1), closed("B", 0, last-1), open("A", last)}},
		{"nothing is left after the last day", closed("A", first, last+5), closed("B", 0, last), "SHORTENED ADDED",
			[]period{closed("A", first, -1), closed("B", 0, last)}},
		{"an open end is not the last day written out", open("A", 0), closed("A", 0, last), "REMOVED ADDED",
			[]period{closed("A", 0, last)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, err := history.Apply([]period{c.existing}, c.applied, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := kinds(plan); got != c.kinds {
				t.Errorf("operations: got %s, want %s", got, c.kinds)
			}
			if got, want := text(plan.After), text(c.after); got != want {
				t.Errorf("after: got %s, want %s", got, want)
			}
		})
	}

	if _, err := history.Apply(nil, open("A", last+1), 0); !problem.Has(err, problem.PeriodEndsBeforeStart) {
		t.Errorf("a period after the last day: got %v", err)
	}
}
